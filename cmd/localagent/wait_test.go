//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// silentServer takes connections and says nothing.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// waiting runs the command in a folder with a pipe "ff" that nobody writes to,
// sends it a signal if there is one, and returns how it ended.
func waiting(t *testing.T, sig syscall.Signal, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "ff"), 0o600); err != nil {
		t.Skip(err)
	}
	writeReplies(t, filepath.Join(dir, "replies.jsonl"), "Done.")
	run := &signalRun{Cmd: exec.Command("localagent", args...)}
	run.Dir = dir
	run.Env = append(homeIn(dir), "OLLAMA_HOST="+silentServer(t))
	run.Stdout, run.Stderr = &run.stdout, &run.stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := time.AfterFunc(10*time.Second, func() { run.Process.Kill() })
	defer ended.Stop()
	if sig != 0 {
		time.Sleep(500 * time.Millisecond)
		run.Process.Signal(sig)
	}
	status = run.status(t)
	return status, run.stdout.String(), run.stderr.String()
}

// Whatever a run waits for, --timeout bounds it and the first signal ends it.
func TestWaits(t *testing.T) {
	play := []string{"-m", "replay:replies.jsonl", "--no-session"}
	for name, args := range map[string][]string{
		"-f":             append(play, "-f", "ff", "hi"),
		"--schema":       append(play, "--schema", "ff", "hi"),
		"--system-file":  append(play, "--system-file", "ff", "hi"),
		"--instructions": append(play, "--instructions", "ff", "hi"),
		"replies":        {"-m", "replay:ff", "--no-session", "hi"},
		"models":         {"--no-session", "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, _, stderr := waiting(t, 0, append([]string{"--timeout", "300ms"}, args...)...)
			if want := "localagent: " + errTimeout.Error() + "\n"; status != exitTimeout || stderr != want {
				t.Errorf("--timeout: status %d, %q; want %d, %q", status, stderr, exitTimeout, want)
			}
			status, stdout, stderr := waiting(t, syscall.SIGTERM, append([]string{"--json"}, args...)...)
			var line struct{ Status, Stop string }
			json.Unmarshal([]byte(stdout), &line)
			if status != 143 || stderr != "" || line.Status != "interrupted" {
				t.Errorf("TERM: status %d, stderr %q, stdout %s", status, stderr, stdout)
			}
		})
	}
	t.Run("doctor", func(t *testing.T) {
		t.Parallel()
		if status, stdout, stderr := waiting(t, syscall.SIGINT, "doctor"); status != 130 || stdout+stderr != "" {
			t.Errorf("status %d, %q, %q", status, stdout, stderr)
		}
	})
}

// askModels runs a command against a server, with little patience.
func askModels(host string, args ...string) (status int, said string) {
	var out bytes.Buffer
	e := newEnv(strings.NewReader(""), &out, &out, vars("OLLAMA_HOST", host, "HOME", "/nonexistent"))
	e.patience = 100 * time.Millisecond
	return e.dispatch(append(args, "-H", host)), out.String()
}

// A server that is silent, or no Ollama, is named with what to do.
func TestNoOllama(t *testing.T) {
	silent := "http://" + silentServer(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>hi</html>")) }))
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("[1]")) }))
	missing := httptest.NewServer(http.NotFoundHandler())
	for _, s := range []*httptest.Server{page, list, missing} {
		t.Cleanup(s.Close)
	}
	for _, command := range [][]string{{"models"}, {"--no-session", "hi"}} {
		for host, cure := range map[string]string{
			silent:   "no answer within 100ms. " + cureSilent,
			page.URL: "it does not answer as an Ollama server does", list.URL: "it does not answer as an Ollama server does",
			missing.URL: "it does not answer as an Ollama server does",
		} {
			status, said := askModels(host, command...)
			if status != exitBackend || !strings.Contains(said, host) || !strings.Contains(said, cure) {
				t.Errorf("%s at %s: status %d, %q", command, host, status, said)
			}
		}
	}
	if _, said := askModels(silent, "doctor"); !strings.Contains(said, "no answer within 100ms") || strings.Contains(said, "ollama serve") {
		t.Errorf("doctor says %q", said)
	}
}

// The cause of a context that is over is what a server's error becomes.
func TestAnswerCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errTimeout)
	_, err := answer(ctx, time.Minute, func(ctx context.Context) (int, error) { return 0, ctx.Err() })
	if err != errTimeout {
		t.Errorf("got %v", err)
	}
}
