package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A terminalRun is the command on a terminal of its own.
type terminalRun struct {
	*pty
	cmd    *exec.Cmd
	screen string // what came and was not looked for yet
}

func startOnTerminal(t *testing.T, dir string, args ...string) *terminalRun {
	t.Helper()
	p := openPTY(t)
	cmd := exec.Command("localagent", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(homeIn(dir), "TERM=xterm", "NO_COLOR=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &terminalRun{pty: p, cmd: cmd}
}

// shows waits until the text comes, and returns what came up to it. What comes
// behind it is for the next call.
func (r *terminalRun) shows(t *testing.T, text string) string {
	t.Helper()
	if !strings.Contains(r.screen, text) {
		r.screen += r.seen(t, text)
	}
	at := strings.Index(r.screen, text) + len(text)
	before := r.screen[:at]
	r.screen = r.screen[at:]
	return before
}

// leaves waits for the end.
func (r *terminalRun) leaves(t *testing.T, status int) {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() { r.cmd.Process.Kill() })
	defer late.Stop()
	_ = r.cmd.Wait() // the status says it
	if got := r.cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("status %d, want %d", got, status)
	}
}

const (
	ctrlC  = "\x03"
	ctrlD  = "\x04"
	keyUp1 = "\x1b[A"
)

// A conversation as a person has it: the answer with its Markdown shown, a call
// with its line, an approval in place, words, history, and the way out.
func TestChatOnTerminal(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replies.jsonl")
	writeReplies(t, file, "Hello, **you**.",
		`I will write it. {"tool":"write_file","args":{"path":"a.txt","content":"one line"}}`, "Written.", "Goodbye.")
	r := startOnTerminal(t, dir, "-m", "replay:"+file, "-T", "write_file")
	r.shows(t, "Ctrl-D leaves")
	r.shows(t, "›")
	r.typed(t, "hello\r")
	r.shows(t, "Hello, "+string(styleBold)+"you"+styleReset+".")
	r.shows(t, "1 step")
	r.typed(t, "write it\r")
	r.shows(t, "I will write it.")
	r.shows(t, "+one line")
	r.shows(t, "[q]uit > ")
	r.typed(t, "y\n")
	r.shows(t, "write_file")
	r.shows(t, "→")
	r.shows(t, "Written.")
	r.shows(t, "2 steps")
	r.typed(t, "/la\t\r")
	r.shows(t, "final")
	r.typed(t, keyUp1+keyUp1+"!")
	r.shows(t, "write it!")
	r.typed(t, ctrlC)
	r.shows(t, "›")
	r.typed(t, ctrlC)
	r.shows(t, "Ctrl-C again")
	r.typed(t, ctrlC)
	r.leaves(t, 0)
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(text) != "one line" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// Ctrl-C stops the turn and not the chat; Ctrl-D leaves.
func TestChatInterrupt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replies.jsonl")
	writeReplies(t, file, `{"tool":"run_shell","args":{"command":"echo begun > begun; sleep 60"}}`, "Goodbye.")
	r := startOnTerminal(t, dir, "-m", "replay:"+file, "-T", "run_shell", "-y")
	r.shows(t, "›")
	r.typed(t, "go\r")
	r.shows(t, "run_shell command=") // the status line
	r.typed(t, ctrlC)
	r.shows(t, "aborted")
	r.shows(t, "cancelled while tools ran")
	r.shows(t, "›")
	r.typed(t, "bye\r")
	r.shows(t, "Goodbye.")
	r.shows(t, "›")
	r.typed(t, ctrlD)
	r.leaves(t, 0)
}

// Nothing is left behind on the screen when a run on a terminal is interrupted,
// and stdin stays a terminal that echoes.
func TestRunInterruptedOnTerminal(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replies.jsonl")
	writeReplies(t, file, `{"tool":"run_shell","args":{"command":"sleep 60"}}`)
	r := startOnTerminal(t, dir, "-m", "replay:"+file, "-T", "run_shell", "-y", "go")
	r.shows(t, "run_shell command=\"sleep 60\"")
	r.typed(t, ctrlC)
	screen := r.shows(t, "check what they had done")
	r.leaves(t, 130)
	if i, j := strings.LastIndex(screen, "\x1b[K"), strings.LastIndexAny(screen, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"); j > i {
		t.Errorf("the status line is left: %q", screen)
	}
}

// A no ends the run.
func TestNo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replies.jsonl")
	writeReplies(t, file, `{"tool":"write_file","args":{"path":"a.txt","content":"x"}}`, "Never asked.")
	r := startOnTerminal(t, dir, "-m", "replay:"+file, "-T", "write_file", "-o", "stream-json", "go")
	r.shows(t, "[q]uit > ")
	r.typed(t, "n\n")
	r.shows(t, `"exit_code":4,"stop":"denied"`)
	r.leaves(t, 4)
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("the file was written")
	}
}

// When the window becomes narrower, what was typed is drawn over where it stands
// now, which is in more rows.
func TestChatResized(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "replies.jsonl")
	writeReplies(t, file, "Goodbye.")
	r := startOnTerminal(t, dir, "-m", "replay:"+file)
	if err := setSize(r.front, 40); err != nil {
		t.Skip(err)
	}
	r.shows(t, "›")
	text := strings.Repeat("0123456789", 7)
	r.typed(t, text)
	r.shows(t, text[37:]) // in the second row
	if err := setSize(r.front, 30); err != nil {
		t.Skip(err)
	}
	r.shows(t, "\x1b[3A") // 2 + 37 columns and 33: four rows now
	r.shows(t, text[27:27+29]+"\r\n\x1b[K"+text[27+29:])
	r.typed(t, "\r")
	r.shows(t, "Goodbye.")
	r.shows(t, "›")
	r.typed(t, ctrlD)
	r.leaves(t, 0)
}
