package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/localagent/localagent/loop"
)

// writeLog writes a log of the given events and returns its path. Its time is
// age before a fixed day.
func writeLog(t *testing.T, dir, id string, age time.Duration, events ...loop.Event) string {
	t.Helper()
	path := filepath.Join(dir, id+extension)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := &Encoder{W: f, Now: clock(), Keep: inLog, Header: Header{Session: id, Model: "gemma3:4b", CWD: "/w"}}
	for _, ev := range events {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	when := time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC).Add(-age)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
	return path
}

// run is a run of so many steps that ends with stop.
func run(prompt string, steps int, stop loop.Stop) []loop.Event {
	events := []loop.Event{loop.RunStarted{}, loop.UserMessage{Text: prompt, Kind: "task"}}
	for i := range steps {
		events = append(events, loop.StepStarted{Step: i + 1}, loop.StepEnded{State: loop.State{Step: i + 1}})
	}
	if stop == "" {
		return events
	}
	return append(events, loop.RunEnded{Result: &loop.Result{Stop: stop, State: loop.State{Step: steps}}})
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("è", 300)
	two := append(run("\n  First line \nsecond", 2, loop.StopFinal), run("again", 3, loop.StopMaxSteps)...)
	writeLog(t, dir, "2026-11-29T19-00-00-0001", 3*time.Hour, two...)
	writeLog(t, dir, "2026-11-29T19-00-00-0002", 1*time.Hour, append(run("x", 1, loop.StopFinal), run("cut off", 1, "")...)...)
	writeLog(t, dir, "2026-11-29T19-00-00-0003", 2*time.Hour, run(long, 0, "")...)

	// Junk: nothing of it is a log.
	for name, text := range map[string]string{
		"empty.jsonl":  "",
		"text.jsonl":   "hello\nworld\n",
		"other.jsonl":  "{\"a\":1}\n",
		"notes.txt":    "{\"v\":1,\"type\":\"init\"}\n",
		"binary.jsonl": "\x00\x01\xff\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}

	got, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []Info{
		{ID: "2026-11-29T19-00-00-0002", Prompt: "x", Steps: 2, Stop: ""},
		{ID: "2026-11-29T19-00-00-0003", Prompt: long[:196] + "…", Steps: 0, Stop: ""},
		{ID: "2026-11-29T19-00-00-0001", Prompt: "First line", Steps: 5, Stop: loop.StopMaxSteps},
	}
	ignore := cmpopts.IgnoreFields(Info{}, "Path", "Size", "Began", "Modified", "Model", "CWD")
	if d := cmp.Diff(want, got, ignore); d != "" {
		t.Error(d)
	}
	for _, i := range got {
		if i.Model != "gemma3:4b" || i.CWD != "/w" || i.Size == 0 || i.Began.IsZero() || filepath.Dir(i.Path) != dir {
			t.Errorf("%+v", i)
		}
	}
	if _, err := Find(dir, "2026"); !errors.Is(err, ErrAmbiguous) || !strings.Contains(err.Error(), want[0].ID) || !strings.Contains(err.Error(), "and 1 more") {
		t.Errorf("Find of three: %v, expecting ErrAmbiguous with some of them", err)
	}
	if latest, err := Latest(dir); err != nil || latest.ID != want[0].ID {
		t.Errorf("Latest: %s, %v", latest.ID, err)
	}
}

func TestListOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	if infos, err := List(dir); err != nil || infos != nil {
		t.Errorf("%v, %v", infos, err)
	}
	if _, err := Latest(dir); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, expecting ErrNotFound", err)
	}
}

// A prompt too long for the part of a log that a list reads is shown by its
// beginning, wherever the end of that part falls: in a rune or in an escape.
func TestLongPrompt(t *testing.T) {
	for _, unit := range []string{"x", "è", "😀", "\\", "\u2028", "\xff", "\t\""} {
		long := strings.Repeat(unit, window/len(unit))
		for shift := range 13 {
			prompt := strings.Repeat("a", shift) + long
			log := encoded(t, run(prompt, 0, "")...)
			var i Info
			if ok := i.readHead([]byte(log[:window])); !ok || i.Prompt != Title(readable(prompt)) {
				t.Errorf("%q, shift %d: %q, expecting %q", unit, shift, i.Prompt, Title(readable(prompt)))
			}
		}
	}
}

// The title of a session is what the user asked, not what was piped in.
func TestTitle(t *testing.T) {
	for _, tt := range []struct{ prompt, want string }{
		{"", ""},
		{"\n \n a b \nc", "a b"},
		{"<stdin>\nlog line\n</stdin>\n\nwhat failed?", "what failed?"},
		{"<stdin>\nx\n</stdin>\n\n<file name=\"a b\">\ny\n</file>\n\nsum up\nplease", "sum up"},
		{"<stdin>\n\nlog line\n</stdin>", "log line"},
		{"<file name=\"a\">\nlog line that goes on and", "log line that goes on and"},
		{"<stdin> is a tag", "<stdin> is a tag"},
	} {
		if got := Title(tt.prompt); got != tt.want {
			t.Errorf("Title(%q) = %q, expecting %q", tt.prompt, got, tt.want)
		}
	}
}

// The blocks that a title passes over are those that package loop writes.
func TestTitleOfARun(t *testing.T) {
	l := mustCreate(t)
	a := loop.Agent{Model: talker("hello"), Record: l.Write}
	a.Run(t.Context(), nil, loop.Prompt{Text: "sum up", Attachments: []loop.Attachment{
		{Name: "a.txt", Text: "first file"}, {Name: "stdin", Text: "log line"},
	}})
	if i, err := stat(l.Path()); err != nil || i.Prompt != "sum up" {
		t.Errorf("%q, %v", i.Prompt, err)
	}
}

// A list reads the ends of a long log, not all of it.
func TestLongLog(t *testing.T) {
	dir := t.TempDir()
	path := writeLog(t, dir, "id", 0, run("hello", 20_000, loop.StopFinal)...)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	counted := &countingReaderAt{r: f}
	i := Info{Size: st.Size()}
	if err := i.readEnds(counted); err != nil {
		t.Fatal(err)
	}
	if i.Prompt != "hello" || i.Steps != 20_000 || i.Stop != loop.StopFinal {
		t.Errorf("%+v", i)
	}
	if counted.n > 2*window {
		t.Errorf("read %d of %d bytes, expecting at most %d", counted.n, st.Size(), 2*window)
	}
}

type countingReaderAt struct {
	r interface {
		ReadAt([]byte, int64) (int, error)
	}
	n int
}

func (c *countingReaderAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.r.ReadAt(p, at)
	c.n += n
	return n, err
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	first := writeLog(t, dir, "2026-11-29T19-00-00-ab12", 1*time.Hour, run("a", 0, "")...)
	writeLog(t, dir, "2026-11-29T19-00-00-cd34", 2*time.Hour, run("b", 0, "")...)
	writeLog(t, dir, "2026-11-30T08-00-00-ef56", 3*time.Hour, run("c", 0, "")...)
	for _, tt := range []struct{ ref, want string }{
		{"2026-11-29T19-00-00-cd34", "2026-11-29T19-00-00-cd34"}, // whole
		{"2026-11-30", "2026-11-30T08-00-00-ef56"},               // beginning
		{"ab12", "2026-11-29T19-00-00-ab12"},                     // end
		{first, "2026-11-29T19-00-00-ab12"},                      // path
		{"2026-11-29", ""},                                       // two
		{"zz", ""},
		{"", ""},
		{"./missing.jsonl", ""},
		{dir, ""},
	} {
		i, err := Find(dir, tt.ref)
		if i.ID != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Find(%q): %q, %v, expecting %q", tt.ref, i.ID, err, tt.want)
		}
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	l, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(loop.RunStarted{}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(l.SpillDir(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Remove(dir, l.ID()); !errors.Is(err, ErrInUse) {
		t.Errorf("%v, expecting ErrInUse", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if i, err := Remove(dir, l.ID()); err != nil || i.ID != l.ID() {
		t.Errorf("%v, %v", i.ID, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
