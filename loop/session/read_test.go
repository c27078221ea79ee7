package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

var update = flag.Bool("update", false, "write the golden files")

// oneCall is a run as small as a whole one can be: a call, its result, the
// answer.
func oneCall() []loop.Event {
	raw := `{"tool":"count_chars","args":{"path":"notes.txt"}}`
	call := loop.Call{ID: "1.1", Name: "count_chars", Args: json.RawMessage(`{"path":"notes.txt"}`), Dialect: "json"}
	state := loop.State{Step: 1, Continue: "calls", Calls: 1, Window: 8192, Tokens: 301}
	state.Usage = loop.Usage{PromptTokens: 280, OutputTokens: 21, Eval: 900 * time.Millisecond}
	last := state
	last.Step, last.Continue, last.Tokens = 2, "", 340
	return []loop.Event{
		loop.RunStarted{Window: 8192, Tools: []string{"count_chars"}, Options: parse.Options{Tools: []parse.Tool{{
			Name:       "count_chars",
			Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		}}}},
		loop.UserMessage{Kind: "task", Text: "How many characters are in notes.txt?"},
		loop.StepStarted{Step: 1},
		loop.Replied{
			Raw: raw, Finish: parse.FinishStop, Usage: state.Usage, Calls: []loop.Call{call},
			Reading: parse.Result{Outcome: parse.Calls, Calls: []parse.Call{{
				Name: call.Name, Args: call.Args, Dialect: "json", Span: parse.Span{End: len(raw)}, Marked: true,
			}}},
		},
		loop.ToolStarted{Call: call},
		loop.ToolEnded{Call: call, Result: tools.Result{
			ID: "1.1", Name: "count_chars", Status: tools.OK, Text: "chars: 42", Elapsed: time.Millisecond,
		}},
		loop.StepEnded{State: state},
		loop.StepStarted{Step: 2},
		loop.Replied{
			Raw: "It has 42.", Finish: parse.FinishStop, Usage: loop.Usage{PromptTokens: 320, OutputTokens: 5},
			Reading: parse.Result{Outcome: parse.Final, Text: "It has 42."},
		},
		loop.StepEnded{State: last},
		loop.RunEnded{Result: &loop.Result{Stop: loop.StopFinal, Answer: "It has 42.", State: last}},
	}
}

const golden = "testdata/2026-11-29T19-24-00-ab12.jsonl"

// The golden log is what users and other programs see; a change of it is a
// change of the format.
func TestGolden(t *testing.T) {
	var log bytes.Buffer
	e := &Encoder{W: &log, Now: clock(), Keep: inLog, Header: Header{
		Session: idOf(golden), Version: "1.0.0", Model: "gemma3:4b", Host: "http://127.0.0.1:11434",
		Dialect: "json", NumCtx: 8192, CWD: "/home/ada/notes", Approve: "ask",
	}}
	for _, ev := range oneCall() {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(golden, log.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), log.String()); d != "" {
		t.Error(d)
	}
}

func openGolden(t *testing.T) io.Reader {
	t.Helper()
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

func TestRead(t *testing.T) {
	got, torn, err := Read(openGolden(t))
	if err != nil || torn != 0 {
		t.Fatalf("torn %d, %v", torn, err)
	}
	want := &loop.Transcript{}
	for _, ev := range oneCall() {
		want.Apply(ev)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := len(got.Entries); n != 4 {
		t.Errorf("%d entries, expecting 4", n)
	}
}

func TestEvents(t *testing.T) {
	var got []loop.Event
	for ev, err := range Events(openGolden(t)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
	}
	if d := cmp.Diff(oneCall(), got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

// encoded are the lines of some events.
func encoded(t testing.TB, events ...loop.Event) string {
	t.Helper()
	var log strings.Builder
	e := &Encoder{W: &log, Now: clock(), Keep: inLog}
	for _, ev := range events {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	return log.String()
}

// calling is a reply with calls of calc.
func calling(ids ...string) loop.Replied {
	ev := loop.Replied{Raw: "calls", Reading: parse.Result{Outcome: parse.Calls}}
	for _, id := range ids {
		ev.Calls = append(ev.Calls, calc(id, id))
	}
	return ev
}

func started(id string) loop.Event { return loop.ToolStarted{Call: calc(id, id)} }

func ended(id, text string) loop.Event {
	return loop.ToolEnded{Call: calc(id, id), Result: tools.Result{ID: id, Name: "calc", Status: tools.OK, Text: text}}
}

// TestLostResults says what becomes of calls whose result is not in the log.
func TestLostResults(t *testing.T) {
	step := loop.StepStarted{Step: 1}
	task := loop.UserMessage{Kind: "task", Text: "go on"}
	for _, tt := range []struct {
		name   string
		events []loop.Event
		want   string // id and status of the results, | between entries
	}{
		{"all there", []loop.Event{step, calling("1.1"), started("1.1"), ended("1.1", "x")}, "1.1 ok"},
		{"none started", []loop.Event{step, calling("1.1", "1.2")}, "1.1 skipped, 1.2 skipped"},
		{"one ran", []loop.Event{step, calling("1.1", "1.2"), started("1.1")}, "1.1 aborted, 1.2 skipped"},
		{"two ran at once", []loop.Event{step, calling("1.1", "1.2"), started("1.1"), started("1.2"), ended("1.1", "x")},
			"1.1 ok, 1.2 aborted"},
		{"then another run", []loop.Event{step, calling("1.1"), loop.RunStarted{}, task, step, calling("1.1"), ended("1.1", "x")},
			"1.1 skipped | 1.1 ok"},
		{"the answer is lost too", []loop.Event{step, calling("1.1"), started("1.1"), task}, "1.1 aborted"},
		{"a result too many", []loop.Event{step, calling("1.1"), ended("1.1", "x"), ended("1.1", "y"), ended("1.9", "z")}, "1.1 ok"},
		{"an unusable reply", []loop.Event{step, loop.Replied{Raw: "{"}, loop.FreshRetry{}, calling("1.1")}, "1.1 skipped"},
		{"an aborted reply", []loop.Event{step, loop.Replied{Raw: "calls", Aborted: true, Calls: []loop.Call{calc("1.1", "")}}}, ""},
	} {
		tr, _, err := Read(strings.NewReader(encoded(t, append([]loop.Event{loop.RunStarted{}, task}, tt.events...)...)))
		if err != nil {
			t.Fatal(err)
		}
		var groups []string
		for _, e := range tr.Entries {
			var group []string
			for _, r := range e.Results {
				group = append(group, r.ID+" "+string(r.Status))
				if r.Name != "calc" || r.Text == "" {
					t.Errorf("%s: %+v", tt.name, r)
				}
			}
			if group != nil {
				groups = append(groups, strings.Join(group, ", "))
			}
		}
		if got := strings.Join(groups, " | "); got != tt.want {
			t.Errorf("%s: %s, expecting %s", tt.name, got, tt.want)
		}
	}
}

// A compaction takes the place of all before it, and what follows joins it.
func TestCompaction(t *testing.T) {
	tr, _, err := Read(strings.NewReader(encoded(t,
		loop.RunStarted{}, loop.UserMessage{Kind: "task", Text: "a"},
		loop.StepStarted{Step: 1}, calling("1.1"), ended("1.1", "long"), loop.StepEnded{},
		loop.Compacted{Tier: "snip", Entries: []loop.Entry{{Role: loop.User, Kind: "task", Text: "a"}}},
		loop.StepStarted{Step: 2}, calling("2.1"), ended("2.1", "x"),
	)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range tr.Entries {
		got = append(got, e.Kind)
	}
	if d := cmp.Diff([]string{"task", "reply", "results"}, got); d != "" {
		t.Error(d)
	}
}

// A conversation that was emptied stays empty; one that nothing was said of
// stays as it was.
func TestEmptied(t *testing.T) {
	for _, tt := range []struct {
		entries []loop.Entry
		want    int
	}{{[]loop.Entry{}, 0}, {nil, 1}} {
		tr, _, err := Read(strings.NewReader(encoded(t,
			loop.UserMessage{Kind: "task", Text: "a"}, loop.Compacted{Tier: "undo", Entries: tt.entries},
		)))
		if err != nil || len(tr.Entries) != tt.want {
			t.Errorf("%v: %d entries, %v, expecting %d", tt.entries, len(tr.Entries), err, tt.want)
		}
	}
}

// Junk between the lines is passed over, and loses only itself.
func TestJunk(t *testing.T) {
	lines := strings.SplitAfter(encoded(t, oneCall()...), "\n")
	want, _, err := Read(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	for _, junk := range []string{
		"\n", "junk\n", "{\n", "{}\n", "[1]\n", "null\n", "\x00\x00\x00\n", "{\"v\":1}\n", "{\"v\":\"1\",\"type\":\"init\"}\n",
		`{"v":1,"type":"new","seq":3,"more":{"a":[1]}}` + "\n",
		`{"v":1,"type":"message","content":7}` + "\n",
		`{"v":1,"type":"message","role":"system","content":"x"}` + "\n",
		`{"v":1,"type":"tool_result","id":"9.9","name":"f","status":"ok","output":"x"}` + "\n",
	} {
		got, torn, err := Read(strings.NewReader(strings.Join(lines, junk)))
		if err != nil || torn != 0 {
			t.Errorf("%.40q: torn %d, %v", junk, torn, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%.40q: %s", junk, d)
		}
	}
}

// A line that is too long is junk, and is not kept in memory.
func TestTooLongLine(t *testing.T) {
	log := encoded(t, loop.UserMessage{Kind: "task", Text: "a"})
	const limit = 200_000 // more than the buffer of the reader
	for _, tt := range []struct{ size, want int }{{limit, 3}, {limit + 1, 2}, {2 * limit, 2}} {
		long := encoded(t, loop.UserMessage{Text: ""})
		long = strings.Replace(long, `""`, `"`+strings.Repeat("x", tt.size-len(long))+`"`, 1)
		s := newLineScanner(strings.NewReader(log + long + log))
		s.limit = limit
		n := 0
		for s.next() {
			n++
		}
		if n != tt.want || s.err != nil || s.torn != 0 {
			t.Errorf("%d bytes: %d lines, torn %d, %v, expecting %d", tt.size, n, s.torn, s.err, tt.want)
		}
	}
}

// Fields that are not known are passed over; a newer version is refused.
func TestNewer(t *testing.T) {
	log := encoded(t, loop.UserMessage{Kind: "task", Text: "a"})
	more := strings.Replace(log, `"content"`, `"new":{"x":1},"content"`, 1)
	if tr, _, err := Read(strings.NewReader(more)); err != nil || len(tr.Entries) != 1 {
		t.Errorf("%+v, %v", tr, err)
	}
	newer := strings.Replace(log, `"v":1`, `"v":2`, 1)
	tr, _, err := Read(strings.NewReader(log + newer))
	if !errors.Is(err, ErrVersion) || len(tr.Entries) != 1 {
		t.Errorf("%+v, %v, expecting ErrVersion", tr, err)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader(encoded(t, oneCall()[:3]...)), iotest.ErrReader(broken))
	tr, _, err := Read(r)
	if !errors.Is(err, broken) || len(tr.Entries) != 1 {
		t.Errorf("%+v, %v", tr, err)
	}
	for _, err := range Events(iotest.ErrReader(broken)) {
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

// Lines of any length come whole, however a file is read.
func TestLongLines(t *testing.T) {
	var events []loop.Event
	for _, n := range []int{0, 1, 4095, 64 << 10, 300_000} {
		events = append(events, loop.UserMessage{Kind: "task", Text: strings.Repeat("è", n)})
	}
	log := encoded(t, events...)
	for _, r := range []io.Reader{
		strings.NewReader(log), iotest.HalfReader(strings.NewReader(log)), iotest.DataErrReader(strings.NewReader(log)),
	} {
		tr, torn, err := Read(r)
		if err != nil || torn != 0 || len(tr.Entries) != len(events) {
			t.Fatalf("%d entries, torn %d, %v", len(tr.Entries), torn, err)
		}
		for i, e := range tr.Entries {
			if e.Text != events[i].(loop.UserMessage).Text {
				t.Errorf("entry %d has %d bytes", i, len(e.Text))
			}
		}
	}
}

// A run that was resumed goes on where the other ended.
func TestResume(t *testing.T) {
	l := mustCreate(t)
	mustWrite(t, l, oneCall()...)
	l.Close()
	l, first, err := Open(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, l, oneCall()...)
	l.Close()
	f, err := os.Open(filepath.Clean(l.Path()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	both, _, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(first.Entries); len(both.Entries) != 2*n || !cmp.Equal(both.Entries[:n], first.Entries) {
		t.Errorf("%d entries after %d", len(both.Entries), n)
	}
}
