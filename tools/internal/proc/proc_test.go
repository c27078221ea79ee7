//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const keep = 1 << 10

func sh(script string) Cmd { return Cmd{Argv: []string{"sh", "-c", script}, Keep: keep} }

func run(t *testing.T, ctx context.Context, c Cmd) *Output {
	t.Helper()
	o, err := Run(ctx, c)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return o
}

func TestOutcome(t *testing.T) {
	tests := []struct {
		name, script, stdin string
		stdout, stderr      string
		code                int
		signal              string
	}{
		{name: "silent", script: "true"},
		{name: "both streams", script: "echo out; echo err >&2", stdout: "out\n", stderr: "err\n"},
		{name: "status", script: "echo no >&2; exit 3", stderr: "no\n", code: 3},
		{name: "signal", script: "kill -9 $$", code: 137, signal: "SIGKILL"},
		{name: "not found", script: "no-such-program-here 2>/dev/null", code: 127},
		{name: "stdin", script: "cat", stdin: "in", stdout: "in"},
		{name: "no stdin", script: "cat; echo end", stdout: "end\n"},
		{name: "stdin not read", script: "exit 4", stdin: strings.Repeat("x", 1<<20), code: 4},
		{name: "bytes", script: `printf '\377\000a'`, stdout: "\xff\x00a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := sh(tt.script)
			c.Stdin = []byte(tt.stdin)
			o := run(t, t.Context(), c)
			if string(o.Stdout.Head) != tt.stdout || string(o.Stderr.Head) != tt.stderr || o.Code != tt.code || o.Signal != tt.signal {
				t.Errorf("got stdout %q, stderr %q, code %d, signal %q; want %q, %q, %d, %q",
					o.Stdout.Head, o.Stderr.Head, o.Code, o.Signal, tt.stdout, tt.stderr, tt.code, tt.signal)
			}
			if o.Jobs || o.Held || !o.Stdout.Whole() {
				t.Errorf("jobs %v, held %v, whole %v", o.Jobs, o.Held, o.Stdout.Whole())
			}
		})
	}
}

func TestNoStart(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		c    Cmd
		want string
	}{
		{"no program", Cmd{Argv: []string{"no-such-program-here"}}, `cannot start "no-such-program-here": no such program in PATH`},
		{"no folder", Cmd{Argv: []string{"sh"}, Dir: filepath.Join(dir, "none")}, "is no folder"},
		{"not executable", Cmd{Argv: []string{plain}}, "permission denied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Run(t.Context(), tt.c); !errors.Is(err, ErrNoStart) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(done, sh("true")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the start: %v", err)
	}
}

// What a program leaves behind is ended with it, and it is not waited for.
func TestJobs(t *testing.T) {
	tests := []struct {
		name, script string
		jobs, held   bool
		need         string
	}{
		{name: "holds the pipe", script: "sleep 60 & echo done", jobs: true},
		{name: "ignores TERM", script: "sh -c 'trap \"\" TERM; echo ready >&2; while :; do sleep 1; done' & echo done; sleep 0.1", jobs: true},
		{name: "group of its own", script: "timeout 60 sleep 60 & echo done", jobs: true, need: "timeout"},
		{name: "job control", script: "set -m; sleep 60 & echo done", jobs: true},
		{name: "stopped", script: "sleep 60 & kill -STOP $!; echo done", jobs: true},
		{name: "session of its own", script: `f=$(mktemp -u); setsid sh -c "touch $f; sleep 5" & until [ -e $f ]; do sleep 0.01; done; rm $f; echo done`, held: true, need: "setsid"},
		{name: "ends by itself", script: "f=$(mktemp -u); (echo done; touch $f) & until [ -e $f ]; do sleep 0.01; done; rm $f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tt.need); tt.need != "" && err != nil {
				t.Skip(err)
			}
			p := mustStart(t, sh(tt.script))
			began := time.Now()
			if err := p.wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(began); d > 4*time.Second { // about two; the rest is for a busy machine
				t.Errorf("took %v", d)
			}
			o := p.output()
			if string(o.Stdout.Head) != "done\n" || o.Jobs != tt.jobs || o.Held != tt.held || o.Code != 0 {
				t.Errorf("stdout %q, jobs %v, held %v, code %d", o.Stdout.Head, o.Jobs, o.Held, o.Code)
			}
			if groupAlive(p.cmd.Process) {
				t.Error("something of it still runs")
			}
		})
	}
}

func mustStart(t *testing.T, c Cmd) *process {
	t.Helper()
	p, err := start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCancel reads the program's first line before it cancels, so that its
// traps are set.
func TestCancel(t *testing.T) {
	tests := []struct {
		name, script string
		stdout       string
		kill         bool // closed with the cancel
		atLeast      time.Duration
	}{
		{name: "takes TERM", script: "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done", stdout: "ready\nbye\n"},
		{name: "ignores TERM", script: "trap '' TERM; echo ready; while :; do sleep 1; done", stdout: "ready\n", atLeast: termGrace},
		{name: "told to hurry", script: "trap '' TERM; echo ready; while :; do sleep 1; done", stdout: "ready\n", kill: true},
		{name: "grandchildren", script: "(sleep 60; echo never) & (trap '' HUP; sleep 60) & echo ready; wait", stdout: "ready\n"},
		{name: "stopped", script: "echo ready; kill -STOP $$; echo never", stdout: "ready\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kill := make(chan struct{})
			c := sh(tt.script)
			c.Kill = kill
			p := mustStart(t, c)
			waitFor(t, p, "ready\n")
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if tt.kill {
				close(kill)
			}
			began := time.Now()
			if err := p.wait(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if d := time.Since(began); d < tt.atLeast || tt.atLeast == 0 && d >= termGrace {
				t.Errorf("took %v", d)
			}
			if o := p.output(); string(o.Stdout.Head) != tt.stdout {
				t.Errorf("stdout %q", o.Stdout.Head)
			}
			if groupAlive(p.cmd.Process) {
				t.Error("something of it still runs")
			}
		})
	}
}

func waitFor(t *testing.T, p *process, text string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		p.out.mu.Lock()
		ok := string(p.out.head) == text
		p.out.mu.Unlock()
		if ok {
			return
		}
	}
	t.Fatalf("no %q", text)
}

// A hundred interrupts at random moments leave nothing behind.
func TestInterrupts(t *testing.T) {
	scripts := []string{
		"sleep 60",
		"sh -c 'sleep 60; true'; true",
		"for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait",
		"while :; do sh -c 'true'; done",
		"timeout 60 sh -c 'sleep 60; true'; true",
		"yes | head -c 100000000 | cat >/dev/null; sleep 60",
		"set -m; (sleep 60; true) & sleep 60",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.IntN(20_000))*time.Microsecond)
		p := mustStart(t, sh(scripts[i%len(scripts)]))
		err := p.wait(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d: error %v", i, err)
		}
		if ms, _ := sessionMembers(p.cmd.Process.Pid); len(ms) > 0 || groupAlive(p.cmd.Process) {
			t.Fatalf("%d: %q left %v", i, scripts[i%len(scripts)], ms)
		}
	}
}

func TestSpill(t *testing.T) {
	dir := t.TempDir()
	c := sh("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done")
	c.Spill = func() (*os.File, error) { return os.CreateTemp(dir, "") }
	s := run(t, t.Context(), c).Stdout
	all, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range 2000 {
		want.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	if string(all) != want.String() || s.Size != int64(want.Len()) || s.Spilled != s.Size || s.SpillErr != nil {
		t.Errorf("file of %d bytes, size %d, spilled %d, %v; want %d", len(all), s.Size, s.Spilled, s.SpillErr, want.Len())
	}
	if !bytes.HasPrefix(all, s.Head) || !bytes.HasSuffix(all, s.Tail) || len(s.Head) != keep || len(s.Tail) != keep {
		t.Errorf("head of %d bytes, tail of %d", len(s.Head), len(s.Tail))
	}
}

func TestSpillFails(t *testing.T) {
	c := sh("head -c 5000 /dev/zero")
	full := errors.New("disk full")
	c.Spill = func() (*os.File, error) { return nil, full }
	s := run(t, t.Context(), c).Stdout
	if s.Size != 5000 || s.Path != "" || !errors.Is(s.SpillErr, full) {
		t.Errorf("size %d, path %q, error %v", s.Size, s.Path, s.SpillErr)
	}
}

// Every way of cutting a stream into pieces keeps the same head and tail.
func TestCapturePieces(t *testing.T) {
	data := make([]byte, 100)
	for i := range data {
		data[i] = byte(i)
	}
	for size := range len(data) {
		for piece := 1; piece <= size; piece++ {
			c := newCaptureOf(16)
			for rest := data[:size]; len(rest) > 0; {
				n := min(piece, len(rest))
				c.add(rest[:n])
				rest = rest[n:]
			}
			s := c.stream()
			head := data[:min(size, 16)]
			tail := data[len(head):size]
			tail = tail[max(0, len(tail)-16):]
			if !bytes.Equal(s.Head, head) || !bytes.Equal(s.Tail, tail) || s.Size != int64(size) || s.Whole() != (size <= 32) {
				t.Fatalf("size %d in pieces of %d: head %v, tail %v", size, piece, s.Head, s.Tail)
			}
		}
	}
}
