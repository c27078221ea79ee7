//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run that records nothing leaves no long output of its tools behind, and has it
// while it goes on.
func TestNoSessionLeavesNothing(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	writeReplies(t, filepath.Join(dir, "replies.jsonl"),
		`{"tool":"run_shell","args":{"command":"seq 1 300000"}}`,
		`{"tool":"run_shell","args":{"command":"wc -l < $(ls \"$TMPDIR\"/localagent-output-*/*)"}}`,
		"Done.")
	cmd := exec.Command("localagent", "--no-session", "-v", "-y", "-T", "run_shell", "-m", "replay:replies.jsonl", "go")
	cmd.Dir, cmd.Env = dir, append(homeIn(dir), "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "300000") {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
