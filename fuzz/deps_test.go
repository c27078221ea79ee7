package fuzz_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/localagent/localagent"

// inward says which packages of this module a package may import: the arrows of
// the project's picture. A command may import all of them.
//
//	cmd/localagent ─► loop/ollama, loop/replay, loop/session ─► loop ─► parse
//	               └► tools/builtin, tools/command, …        ─► tools ─► tools/safejson
var inward = map[string][]string{
	"parse":          {},
	"tools/safejson": {},
	"tools":          {"tools/safejson"},
	"tools/":         {"tools", "tools/safejson"},
	"loop":           {"parse", "tools", "tools/safejson"},
	"loop/":          {"loop", "parse", "tools", "tools/safejson"},
}

// only says which packages alone may import a module of others.
var only = map[string]string{
	"github.com/ollama/ollama": "loop/ollama",
	"github.com/spf13/pflag":   "cmd/",
	"golang.org/x/term":        "cmd/",
}

type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string
}

// TestArrows keeps the packages apart: parse and tools do not know each other,
// only loop sees both, adapters point at the core and only commands use them.
func TestArrows(t *testing.T) {
	for _, p := range listPackages(t, module+"/...") {
		from := folder(p.ImportPath)
		if strings.HasPrefix(from, "cmd/") || strings.HasSuffix(from, "test") || strings.Contains(from, "internal/") {
			continue
		}
		for _, path := range p.Imports {
			if to := folder(path); to != path && !allowed(from, to) {
				t.Errorf("%s imports %s", from, to)
			}
		}
		for module, user := range only {
			for _, path := range p.Imports {
				if (path == module || strings.HasPrefix(path, module+"/")) && !strings.HasPrefix(from, user) {
					t.Errorf("%s imports %s, which is for %s alone", from, path, user)
				}
			}
		}
	}
}

func allowed(from, to string) bool {
	if root, _, ok := strings.Cut(to, "/internal/"); ok { // the compiler keeps these
		return strings.HasPrefix(from+"/", root+"/")
	}
	targets, ok := inward[from]
	if !ok {
		parent, _, _ := strings.Cut(from, "/")
		targets = inward[parent+"/"]
	}
	return slices.Contains(targets, to)
}

func TestAllowed(t *testing.T) {
	tests := []struct {
		from, to string
		want     bool
	}{
		{"loop", "parse", true},
		{"loop/ollama", "loop", true},
		{"tools/builtin", "tools/internal/proc", true},
		{"parse", "tools", false},
		{"tools", "parse", false},
		{"tools/builtin", "parse", false},
		{"loop", "loop/ollama", false},
		{"loop/ollama", "loop/replay", false},
		{"tools", "tools/builtin", false},
	}
	for _, test := range tests {
		if got := allowed(test.from, test.to); got != test.want {
			t.Errorf("%s may import %s: %t", test.from, test.to, got)
		}
	}
}

// TestParseNeedsLittle: package parse stands on the standard library and gjson.
func TestParseNeedsLittle(t *testing.T) {
	for _, p := range listPackages(t, "-deps", module+"/parse") {
		ours := p.ImportPath == module+"/parse" || strings.HasPrefix(p.ImportPath, module+"/parse/internal/")
		if !p.Standard && !ours && !strings.HasPrefix(p.ImportPath, "github.com/tidwall/") {
			t.Errorf("parse depends on %s", p.ImportPath)
		}
	}
}

// folder is the path of a package within this module, or the whole path of one
// of another.
func folder(path string) string { return strings.TrimPrefix(path, module+"/") }

func listPackages(t *testing.T, args ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Standard,Imports"}, args...)...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Skip("no go command: ", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := dec.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all
		default:
			t.Fatal(err)
		}
	}
}
