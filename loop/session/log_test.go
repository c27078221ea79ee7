package session

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

// mustCreate makes a log in a folder of its own.
func mustCreate(t *testing.T) *Log {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "state", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.file.Close() })
	return l
}

func mustWrite(t *testing.T, l *Log, events ...loop.Event) {
	t.Helper()
	for _, ev := range events {
		if err := l.Write(ev); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCreate(t *testing.T) {
	l := mustCreate(t)
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{4}$`).MatchString(l.ID()) {
		t.Errorf("id %q", l.ID())
	}
	if l.Header.Session != l.ID() || filepath.Base(l.Path()) != l.ID()+".jsonl" {
		t.Errorf("session %q, path %q", l.Header.Session, l.Path())
	}
	if runtime.GOOS == "windows" {
		return // has no modes
	}
	for path, want := range map[string]fs.FileMode{l.Path(): 0o600, filepath.Dir(l.Path()): 0o700 | fs.ModeDir} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode() != want {
			t.Errorf("%s has mode %v, expecting %v", path, st.Mode(), want)
		}
	}
}

// Many that begin in the same second get names of their own.
func TestCreateMany(t *testing.T) {
	dir := t.TempDir()
	for range 200 {
		l, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, l, loop.RunStarted{})
		l.Close()
	}
	if infos, err := List(dir); len(infos) != 200 || err != nil {
		t.Errorf("%d logs, %v", len(infos), err)
	}
}

func TestUnusedLogLeavesNoFile(t *testing.T) {
	l := mustCreate(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestSecondWriter(t *testing.T) {
	l := mustCreate(t)
	mustWrite(t, l, run("a", 1, loop.StopFinal)...)
	if _, _, err := Open(l.Path()); !errors.Is(err, ErrInUse) {
		t.Errorf("%v, expecting ErrInUse", err)
	}
	l.Close()
	again, _, err := Open(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// Seq and total go on where they were.
func TestGoOn(t *testing.T) {
	l := mustCreate(t)
	mustWrite(t, l, run("a", 2, loop.StopFinal)...)
	seq := l.enc.seq
	l.Close()
	l, _, err := Open(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, l, run("b", 3, loop.StopFinal)...)
	l.Close()
	f, err := os.Open(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := 0
	for line, err := range Lines(f) {
		if want++; err != nil || line.Seq != want {
			t.Fatalf("seq %d, expecting %d; %v", line.Seq, want, err)
		}
	}
	if want <= seq {
		t.Errorf("nothing was appended")
	}
	if i, err := stat(l.Path()); err != nil || i.Steps != 5 {
		t.Errorf("%d steps, %v", i.Steps, err)
	}
}

// What a crash left of a line is cut off before anything is appended.
func TestOpenTorn(t *testing.T) {
	l := mustCreate(t)
	mustWrite(t, l, run("a", 1, loop.StopFinal)...)
	l.Close()
	whole, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(l.Path(), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		l, _, err := Open(l.Path())
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		mustWrite(t, l, loop.Warned{Code: "on", Text: "goes on"})
		l.Close()
		got, err := os.ReadFile(l.Path())
		if err != nil {
			t.Fatal(err)
		}
		kept := strings.LastIndexByte(string(whole[:n]), '\n') + 1
		if !strings.HasPrefix(string(got), string(whole[:kept])) {
			t.Fatalf("cut at %d: the lines before are not as they were", n)
		}
		if rest := string(got[kept:]); strings.Count(rest, "\n") != 1 || !strings.HasPrefix(rest, `{"v":1,"type":"warning",`) {
			t.Fatalf("cut at %d: appended %q", n, rest)
		}
	}
}

// Nothing is appended to, or cut off, what is no log.
func TestOpenOther(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text":    "hello\nworld",
		"line":    "hello",
		"json":    `{"a":1}` + "\n",
		"almost":  `{"v":1,"typo":"init"`,
		"newer":   `{"v":2,"type":"init"}` + "\n",
		"newline": "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(path)
		if want := ErrNoLog; name == "newer" && !errors.Is(err, ErrVersion) || name != "newer" && !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%s was changed: %q", name, got)
		}
	}
	if _, _, err := Open(dir); err == nil {
		t.Error("a folder was opened")
	}
	if _, _, err := Open(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A log is brought to disk at the end of each step and of the run, not more
// often; a disk that fails then fails the run.
func TestSync(t *testing.T) {
	l := mustCreate(t)
	synced := 0
	l.sync = func() error { synced++; return nil }
	mustWrite(t, l, run("a", 3, loop.StopFinal)...)
	if synced != 4 {
		t.Errorf("synced %d times, expecting 4", synced)
	}
	l.sync = func() error { return fs.ErrInvalid }
	mustWrite(t, l, loop.UserMessage{})
	for _, ev := range []loop.Event{loop.StepEnded{}, loop.UserMessage{}} {
		if err := l.Write(ev); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%T: %v", ev, err)
		}
	}
}

// tornWriter writes to a log until n bytes are gone, then half of a write.
type tornWriter struct {
	f *os.File
	n int
}

func (w *tornWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n >= 0 {
		return w.f.Write(p)
	}
	n, err := w.f.Write(p[:len(p)/2])
	return n, errors.Join(err, errFull)
}

var errFull = errors.New("no space left on device")

// A full disk ends the log with its last whole event, says so, and stays.
func TestFullDisk(t *testing.T) {
	events := run("a", 5, loop.StopFinal)
	for n := 0; n < 1500; n += 37 {
		l := mustCreate(t)
		l.enc.W = &tornWriter{l.file, n}
		var failed error
		for _, ev := range events {
			if err := l.Write(ev); err != nil {
				failed = err
			} else if failed != nil {
				t.Fatalf("after %v, %T was written", failed, ev)
			}
		}
		if !errors.Is(failed, errFull) || !strings.Contains(failed.Error(), l.Path()) {
			t.Fatalf("%v", failed)
		}
		l.file.Close()
		got, err := os.ReadFile(l.Path())
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 0 && got[len(got)-1] != '\n' {
			t.Fatalf("the log ends with %q", got[max(0, len(got)-20):])
		}
		again, _, err := Open(l.Path())
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, again, loop.RunStarted{})
		again.Close()
	}
}

// talker is a model that always says the same.
type talker string

func (m talker) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		if yield(loop.Chunk{Text: string(m)}, nil) {
			yield(loop.Chunk{Done: &loop.Done{Finish: parse.FinishStop}}, nil)
		}
	}
}

// A run whose log cannot be written ends, and says why.
func TestFullDiskEndsRun(t *testing.T) {
	l := mustCreate(t)
	l.enc.W = &tornWriter{l.file, 600}
	a := loop.Agent{Model: talker("hello"), Record: l.Write}
	res := a.Run(context.Background(), &loop.Transcript{}, loop.Prompt{Text: strings.Repeat("x", 200)})
	if res.Stop != loop.StopSession || !errors.Is(res.Err, errFull) || !strings.Contains(res.Err.Error(), l.Path()) {
		t.Errorf("stop %s, %v", res.Stop, res.Err)
	}
}
