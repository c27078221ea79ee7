package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
)

func versionCommand() *command {
	return &command{
		name:    "version",
		summary: "the version of this program",
		alone:   true,
		run: func(_ context.Context, e *env, _ *options, _ []string) error {
			e.out.put(versionLine())
			return nil
		},
	}
}

func versionLine() string {
	return "localagent " + version() + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
}

// version is the module's version as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	return strings.TrimPrefix(v, "v")
}
