//go:build unix

package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
)

func TestRunShell(t *testing.T) {
	b := newBox(t, map[string]string{"notes.txt": "hello\n"})
	tests := []struct {
		name, command string
		want          string
		status        tools.Status
		code          int
	}{
		{"output", "cat notes.txt", "exit status 0\nstdout:\nhello\nstderr: empty", tools.OK, 0},
		{"error stream only", "echo no >&2; exit 3", "exit status 3\nstdout: empty\nstderr:\nno", tools.Failed, 3},
		{"warning", "echo careful >&2", "exit status 0\nstdout: empty\nstderr:\ncareful", tools.OK, 0},
		{"both", "echo a; echo b >&2", "exit status 0\nstdout:\na\nstderr:\nb", tools.OK, 0},
		{"no match", "grep zzz notes.txt", "exit status 1; no output", tools.Failed, 1},
		{"silent success", "true", "exit status 0; no output", tools.OK, 0},
		{"signal", "kill -TERM $$", "exit status 143 (SIGTERM); no output", tools.Failed, 143},
		{"unknown command", "no-such-program 2>/dev/null", "exit status 127; no output", tools.Failed, 127},
		{"nothing to read", "cat; read x || echo end", "exit status 0\nstdout:\nend\nstderr: empty", tools.OK, 0},
		{"no terminal", "(: </dev/tty) 2>/dev/null && echo taken || echo refused", "exit status 0\nstdout:\nrefused\nstderr: empty", tools.OK, 0},
		{"begins like an option", "-x 2>/dev/null || echo no", "exit status 0\nstdout:\nno\nstderr: empty", tools.OK, 0},
		{"several lines", "echo a\necho b", "exit status 0\nstdout:\na\nb\nstderr: empty", tools.OK, 0},
		{"not UTF-8", `printf 'a\377\376b'`, "exit status 0\nstdout:\na\uFFFDb\nstderr: empty", tools.OK, 0},
		{"blank lines stay", `printf '\n a\n\n'`, "exit status 0\nstdout:\n\n a\n\nstderr: empty", tools.OK, 0},
		{"background", "sleep 60 & echo done", "exit status 0\nstdout:\ndone\nstderr: empty\n[processes left in the background were ended]", tools.OK, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.do("run_shell", args{"command": tt.command})
			if r.Text != tt.want || r.Status != tt.status || r.ExitCode == nil || *r.ExitCode != tt.code || r.Truncated {
				t.Errorf("got %s, %v\n%s\nwant %s, %d\n%s", r.Status, r.ExitCode, r.Text, tt.status, tt.code, tt.want)
			}
		})
	}
	b.fails("run_shell", args{"command": " "}, "empty")
	b.fails("run_shell", args{"command": "a\x00b"}, "zero byte")
	r := b.do("run_shell", args{"command": "pwd -P"})
	if real, err := filepath.EvalSymlinks(b.dir); err != nil || !strings.Contains(r.Text, real+"\n") {
		t.Errorf("runs in %s, want %s", r.Text, real)
	}
}

var fileInNote = regexp.MustCompile(`all of it is in (\S+);`)

// What a flood leaves out is said, and is all in the file.
func TestFlood(t *testing.T) {
	tests := []struct {
		name, command string
		size          int64
	}{
		{"200 MB", "head -c 200000000 /dev/zero | tr '\\0' '\\n'", 200_000_000},
		{"a line of 10 MB", "head -c 10000000 /dev/zero | tr '\\0' x", 10_000_000},
		{"numbers", "seq 1 1000000", 6_888_896},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t, nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := b.do("run_shell", args{"command": tt.command})
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 10; got > 4096 {
				t.Errorf("%d KB were allocated", got)
			}
			if r.Status != tools.OK || !r.Truncated || len(r.Text) > maxResult || strings.Count(r.Text, "\n") > maxLines+10 {
				t.Errorf("%s, truncated %v, %d bytes, %d lines", r.Status, r.Truncated, len(r.Text), strings.Count(r.Text, "\n"))
			}
			file := fileInNote.FindStringSubmatch(r.Text)
			if file == nil {
				t.Fatalf("no file is named in %q", r.Text[:min(len(r.Text), 300)])
			}
			info, err := os.Stat(file[1])
			if err != nil || info.Size() != tt.size || info.Mode().Perm() != 0o600 {
				t.Errorf("the file: %v, %v, %v", info.Size(), info.Mode(), err)
			}
		})
	}
}

func TestHeadAndTail(t *testing.T) {
	b := newBox(t, nil)
	r := b.do("run_shell", args{"command": "seq 1 1000000; echo the end >&2; exit 7"})
	for _, part := range []string{"exit status 7\nstdout:\n1\n2\n3\n", " left out; all of it is in ", "\n999999\n1000000\nstderr:\nthe end"} {
		if !strings.Contains(r.Text, part) {
			t.Errorf("no %q", part)
		}
	}
	again := b.do("run_shell", args{"command": "seq 1 1000000; echo the end >&2; exit 7"})
	other := b.do("run_shell", args{"command": "seq 1 500000; echo; seq 500002 1000000; echo the end >&2; exit 7"})
	if r.Text == again.Text || r.Digest != again.Digest || r.Digest == other.Digest {
		t.Error("the digest is not that of the output")
	}
}

// However much room there is, a result fits, is valid, and all of a cut stream
// is in its file.
func TestShellRoom(t *testing.T) {
	b := newBox(t, nil)
	commands := []string{
		"seq 1 2000",
		"seq 1 2000 >&2",
		"seq 1 2000; seq 1 2000 >&2",
		"echo short; seq 1 2000 >&2",
		"for i in $(seq 1 300); do printf '€😀ä'; done; exit 1",
		`for i in $(seq 1 300); do printf 'a\377\376€'; done`,
		"head -c 3000 /dev/zero",
	}
	for _, command := range commands {
		for _, room := range []int{1, 50, 300, 600, 1000, 3000, 8000} {
			r := b.doWith("run_shell", args{"command": command}, room)
			if len(r.Text) > room || !utf8.ValidString(r.Text) {
				t.Errorf("%s with room for %d: %d bytes", command, room, len(r.Text))
			}
			if room >= 600 && !strings.HasPrefix(r.Text, "exit status ") {
				t.Errorf("%s with room for %d: %.100q", command, room, r.Text)
			}
			if room >= 1000 && r.Truncated && fileInNote.FindString(r.Text) == "" {
				t.Errorf("%s with room for %d does not say where the rest is: %q", command, room, r.Text)
			}
		}
	}
}

// A stream that fits into memory but not into the result is in a file too.
func TestSmallSpill(t *testing.T) {
	b := newBox(t, nil)
	r := b.doWith("run_shell", args{"command": "seq 1 2000"}, 3000)
	file := fileInNote.FindStringSubmatch(r.Text)
	if file == nil {
		t.Fatalf("no file is named in %q", r.Text)
	}
	text, err := os.ReadFile(file[1])
	if err != nil || len(text) != 8893 || !bytes.HasPrefix(text, []byte("1\n2\n")) || !bytes.HasSuffix(text, []byte("\n2000\n")) {
		t.Errorf("the file has %d bytes, %v", len(text), err)
	}
}

func TestSpillDirBroken(t *testing.T) {
	b := newBox(t, map[string]string{"file": ""})
	root := mustRoot(t, b.dir)
	b.set = tools.NewSet(All(Options{Root: root, SpillDir: b.path("file")})...)
	r := b.do("run_shell", args{"command": "seq 1 100000"})
	if r.Status != tools.OK || !strings.Contains(r.Text, "left out; it could not be kept in a file: ") {
		t.Errorf("%s: %.200q", r.Status, r.Text)
	}
}

func TestSpillDefault(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := newBox(t, nil)
	b.set = tools.NewSet(All(Options{Root: mustRoot(t, b.dir)})...)
	r := b.do("run_shell", args{"command": "seq 1 100000"})
	if file := fileInNote.FindStringSubmatch(r.Text); file == nil || !strings.HasPrefix(file[1], os.TempDir()) {
		t.Errorf("file %v", file)
	}
}

func TestShellTimeout(t *testing.T) {
	b := newBox(t, nil)
	tool := b.set.Lookup("run_shell")
	if tool.Timeout != 120*time.Second {
		t.Errorf("limit %v", tool.Timeout)
	}
	quick := *tool
	quick.Timeout = 300 * time.Millisecond
	r := tools.NewSet(&quick).Do(t.Context(), tools.Call{Name: "run_shell", Args: json.RawMessage(`{"command":"echo begun; sleep 60"}`)})
	want := "stopped: the time limit of the tool was reached (300ms); the command was ended before it was done\nstdout:\nbegun\nstderr: empty"
	if r.Status != tools.TimedOut || r.Text != want || r.ExitCode != nil {
		t.Errorf("%s: %q", r.Status, r.Text)
	}
}

func TestShellCancel(t *testing.T) {
	b := newBox(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	r := b.set.Do(ctx, tools.Call{Name: "run_shell", Args: json.RawMessage(`{"command":"echo begun; sleep 60"}`)})
	want := "interrupted: the command was ended before it was done\nstdout:\nbegun\nstderr: empty"
	if r.Status != tools.Aborted || r.Text != want {
		t.Errorf("%s: %q", r.Status, r.Text)
	}
}

// A hundred interrupts at random moments: no process of any run is left.
func TestShellInterrupts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	b := newBox(t, nil)
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		mark := fmt.Sprintf("5%04d.125", i)
		command := strings.ReplaceAll("sleep MARK & (sleep MARK; true) & timeout MARK sleep MARK; sh -c 'sleep MARK; true'", "MARK", mark)
		raw, _ := json.Marshal(args{"command": command})
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.IntN(15_000))*time.Microsecond)
		r := b.set.Do(ctx, tools.Call{Name: "run_shell", Args: raw})
		cancel()
		if r.Status != tools.TimedOut && r.Status != tools.Skipped {
			t.Errorf("%d: %s %s", i, r.Status, r.Text)
		}
		if left := running(t, mark); len(left) > 0 {
			t.Fatalf("%d: left %q", i, left)
		}
	}
}

// running returns the command lines of processes that have text in them.
func running(t *testing.T, text string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range files {
		if line, err := os.ReadFile(f); err == nil && bytes.Contains(line, []byte(text)) {
			lines = append(lines, string(line))
		}
	}
	return lines
}
