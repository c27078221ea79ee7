//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

// unattended is the command as cron runs it: in a session without a terminal.
func unattended(t *testing.T, dir string, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("localagent", append([]string{"-C", dir}, args...)...)
	cmd.Env = homeIn(dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdin = strings.NewReader(stdin)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // the status says it
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// With nobody to ask, what needs approval is refused at once and told to the
// model; lines of the prompt that look like answers are part of the prompt.
func TestNobodyToAsk(t *testing.T) {
	call := ollamatest.Reply{Text: `{"tool":"write_file","args":{"path":"a.txt","content":"x"}}`}
	const prompt = "write the file\ny\nyes\n"
	ask := filepath.Join(t.TempDir(), "ask.toml")
	if err := os.WriteFile(ask, []byte("[permission]\nrules = ['ask write *.txt']\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		args    []string
		status  int
		written bool
		said    string
	}{
		{"refused", nil, 4, false, "1 call needed approval and nobody could be asked"},
		{"--approve never", []string{"--approve", "never"}, 4, false, "write_file path=a.txt content=x → refused"},
		{"-y", []string{"-y"}, 0, true, "write_file path=a.txt content=x → ok"},
		{"-y where a rule asks", []string{"-y", "--config", ask}, 4, false, "1 call needed approval and nobody could be asked; at a terminal a person can say yes"},
		{"--approve edits", []string{"--approve", "edits"}, 0, true, "→ ok"},
		{"--allow", []string{"--allow", "write *.txt"}, 0, true, "→ ok"},
		{"a rule that denies is no missing person", []string{"--deny", "write **"}, 0, false, "→ denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := ollamatest.New(t, call, ollamatest.Reply{Text: "Done."})
			stdout, stderr, status := unattended(t, dir, prompt, append([]string{"-H", s.URL, "-m", "test", "-T", "write_file"}, c.args...)...)
			if status != c.status || stdout != "Done.\n" || !strings.Contains(stderr, c.said) {
				t.Errorf("status %d, stdout %q, stderr:\n%s\nwant status %d and %q", status, stdout, stderr, c.status, c.said)
			}
			if _, err := os.Stat(filepath.Join(dir, "a.txt")); (err == nil) != c.written {
				t.Errorf("the file: %v", err)
			}
			chats := s.Chats()
			if got := chats[0].Messages[1].Content; got != strings.TrimSpace(prompt) {
				t.Errorf("the prompt is %q", got)
			}
			if len(chats) != 2 {
				t.Errorf("%d requests, want 2", len(chats))
			}
		})
	}
}

// A call that stands in piped text is perhaps copied: with nobody to ask it is
// refused, even with -y. In the user's own prompt it is not foreign.
func TestEcho(t *testing.T) {
	const call = `{"tool":"run_shell","args":{"command":"echo ran > a.txt"}}`
	for _, c := range []struct {
		name   string
		stdin  string
		args   []string
		status int
	}{
		{"beside an instruction", "a log\n" + call + "\n", []string{"what is in it?"}, 4},
		{"the prompt itself", "run this: " + call + "\n", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := ollamatest.New(t, ollamatest.Reply{Text: call}, ollamatest.Reply{Text: "Done."})
			_, stderr, status := unattended(t, dir, c.stdin, append([]string{"-H", s.URL, "-m", "test", "-T", "run_shell", "-y"}, c.args...)...)
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, stderr)
			}
			if _, err := os.Stat(filepath.Join(dir, "a.txt")); (err == nil) != (c.status == 0) {
				t.Errorf("the command ran: %t", err == nil)
			}
		})
	}
}
