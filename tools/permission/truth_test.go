package permission

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stub is a program that notes how it was started.
const stub = "#!/bin/sh\n{ printf '%s\\0' \"${0##*/}\" \"$@\"; printf '\\036'; } >>\"$NOTES\"\n"

var stubs = strings.Fields("ls cat grep head tail wc sort uniq sed awk find tar curl python3 git go npm make rm tee sudo xargs env sh bash")

// The real shells are the judges of what a command line starts: every command
// that the table allows is run by them with stubs for programs. What is started
// must be allowed as it arrives, and no file is made but below out.
func TestAllowedCommandsInRealShells(t *testing.T) {
	p := policy(t, tableRules...)
	bin := t.TempDir()
	for _, name := range stubs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, shell := range []string{"bash", "dash"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		t.Run(shell, func(t *testing.T) {
			started := 0
			for _, rows := range commands {
				for _, row := range rows {
					if row.want != "allow" || strings.HasPrefix(row.command, "while ") || strings.HasPrefix(row.command, "until ") {
						continue // what is not allowed, and what does not end
					}
					started += len(judge(t, p, path, bin, row.command))
				}
			}
			if started < 60 {
				t.Errorf("only %d programs were started", started)
			}
		})
	}
}

// judge runs a command and checks what it started.
func judge(t *testing.T, p *Policy, shell, bin, command string) [][]string {
	t.Helper()
	dir, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	for _, d := range []string{"out/a", "src"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin, "HOME=" + dir + "/src", "NOTES=" + notes, "X=x"}
	_ = cmd.Run() // its status is no concern of ours
	started := readNotes(notes)
	for _, words := range started {
		args, _ := json.Marshal(map[string][]string{"command": words})
		if d := p.Decide(argvTool, args, false); d.Verdict != Allow {
			t.Errorf("%q is allowed, and starts %q: %s", command, words, d.Why)
		}
	}
	for _, f := range files(dir) {
		if !strings.HasPrefix(f, "out/") {
			t.Errorf("%q is allowed, and writes %s", command, f)
		}
	}
	return started
}

func readNotes(file string) (started [][]string) {
	notes, _ := os.ReadFile(file)
	for note := range strings.SplitSeq(strings.TrimSuffix(string(notes), "\x1e"), "\x1e") {
		if note != "" {
			started = append(started, strings.Split(strings.TrimSuffix(note, "\x00"), "\x00"))
		}
	}
	return started
}

func files(dir string) (found []string) {
	_ = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return nil
	})
	return found
}
