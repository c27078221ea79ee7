package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

// TestDifferences says what is shown of two readings that are not the same.
func TestDifferences(t *testing.T) {
	call := parse.Call{Name: "calc", Args: json.RawMessage(`{"e":"1"}`), Dialect: "json", Span: parse.Span{End: 9}}
	with := func(change func(c *parse.Call)) parse.Result {
		c := call
		change(&c)
		return parse.Result{Outcome: parse.Calls, Calls: []parse.Call{c}}
	}
	was := with(func(c *parse.Call) {})
	for _, tt := range []struct {
		name     string
		was, now parse.Result
		want     []string
	}{
		{"same", was, was, nil},
		{"no call any more", was,
			parse.Result{Problem: &parse.Problem{Reason: parse.ReasonTruncated, Offset: 9}, Void: was.Calls},
			[]string{
				"kind: call → unparseable", "problem: none → truncated at 9",
				`call 1: calc {"e":"1"} → none`, `void call 1: none → calc {"e":"1"}`,
			}},
		{"other arguments", was, with(func(c *parse.Call) { c.Args = json.RawMessage(`{}`); c.Dialect = "hermes" }),
			[]string{`call 1: calc {"e":"1"} → calc {}`}},
		{"other spelling", was,
			with(func(c *parse.Call) { c.Dialect, c.Repairs = "", []parse.Repair{{Code: "comma", Offset: 3}} }),
			[]string{"call 1 dialect: json → none", "call 1 repairs: none → comma at 3"}},
		{"other place", was, with(func(c *parse.Call) { c.Span.Start = 1 }), []string{"call 1 span: 0-9 → 1-9"}},
		{"text", parse.Result{Outcome: parse.Final, Text: "naïve ä"}, parse.Result{Outcome: parse.Final, Text: "naïve ö\xff", Thinking: "hm"},
			[]string{`text from byte 7: "ä" → "ö�"`, `thinking: "" → "hm"`}},
		{"leftovers", parse.Result{Outcome: parse.Final},
			parse.Result{Outcome: parse.Final, Dropped: []parse.Dropped{{Span: parse.Span{Start: 1, End: 5}, Reason: "token"}}},
			[]string{"leftovers: none → token at 1-5"}},
	} {
		if d := cmp.Diff(tt.want, differences(tt.was, tt.now)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// reading is a reply as today's parser reads it.
func reading(raw string, o parse.Options) loop.Replied {
	ev := loop.Replied{Raw: raw, Finish: parse.FinishStop, Reading: parse.Parse(raw, o, parse.FinishStop)}
	for i, c := range ev.Reading.Calls {
		id := "1." + strconv.Itoa(i+1)
		ev.Calls = append(ev.Calls, loop.Call{ID: id, Name: c.Name, Args: restored(c.Args), Dialect: c.Dialect})
	}
	return ev
}

// Replies that today's parser wrote to the log read the same: the log keeps
// the reply, the options and the reading.
func TestReplay(t *testing.T) {
	o := parse.Options{Tools: []parse.Tool{{Name: "calc", Parameters: json.RawMessage(`{"type":"object","properties":{"expr":{"type":"string"}}}`)}}}
	start := loop.RunStarted{Options: o}
	raws := []string{
		"Well.\n```json\n{\"tool\":\"calc\",\"args\":{\"expr\":\"1<2\"}}\n```\n",
		`{"tool":"calc","args":{"expr":'1',}}`,
		`{"tool":"calc","args":{"expr":"1`,
		"<think>hm</think>It is 2.",
		"bytes \xff\xfe",
		"",
	}
	events := []loop.Event{start, loop.StepStarted{Step: 1}}
	for _, raw := range raws {
		events = append(events, reading(raw, o))
	}
	beside := reading(raws[3], o) // some servers send thoughts in a field of their own
	beside.Reading.Thinking = "so\n" + beside.Reading.Thinking
	raws, events = append(raws, raws[3]), append(events, beside)
	n := 0
	for r, err := range Replay(strings.NewReader(encoded(t, events...))) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Raw != raws[n] || r.Run != 1 || r.Step != 1 || r.Differences != nil || !cmp.Equal(r.Options, o) {
			t.Errorf("reply %d: %+v", n, r)
		}
		n++
	}
	if n != len(raws) {
		t.Errorf("%d replies, expecting %d", n, len(raws))
	}
}

// A log of an older parser shows where today's says otherwise; what the parser
// alone did not decide is not compared.
func TestReplayOlder(t *testing.T) {
	final := loop.Replied{Raw: "It is 2.", Finish: parse.FinishStop, Reading: parse.Result{Outcome: parse.Final, Text: "It is two."}}
	unfit, native, cut, beside := final, final, final, final
	beside.Raw = ""
	unfit.Reading = parse.Result{Outcome: parse.Unparseable}
	native.Calls = []loop.Call{{ID: "1.1", Name: "f", Dialect: "native"}}
	native.Reading.Outcome = parse.Calls
	cut.Aborted = true
	var got []string
	for r, err := range Replay(strings.NewReader(encoded(t,
		loop.RunStarted{}, loop.StepStarted{Step: 1}, final, cut, unfit, loop.FreshRetry{Schema: true}, final,
		loop.StepStarted{Step: 2}, native, beside, loop.RunStarted{}, loop.StepStarted{Step: 1}, final,
	))) {
		if err != nil {
			t.Fatal(err)
		}
		line := strconv.Itoa(r.Run) + "." + strconv.Itoa(r.Step)
		if r.Held {
			line += " held"
		}
		got = append(got, strings.TrimSpace(line+" "+strings.Join(r.Differences, "; ")))
	}
	differs := ` text from byte 6: "two." → "2."`
	want := []string{"1.1" + differs, "1.1 held", "1.1 held", "1.2 held", "1.2 held", "2.1" + differs}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWriteCorpus(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fuzz", "FuzzParse")
	raws := []string{"plain", "a \"b\"\n\\ \xff\u2028", "plain", ""}
	events := []loop.Event{loop.RunStarted{}, loop.StepStarted{Step: 1}}
	for _, raw := range raws {
		events = append(events, loop.Replied{Raw: raw})
	}
	log := encoded(t, events...)
	for round, want := range []int{3, 0} {
		if n, err := WriteCorpus(strings.NewReader(log), dir); n != want || err != nil {
			t.Errorf("round %d: %d new seeds, %v, expecting %d", round, n, err, want)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")
		text, err := strconv.Unquote(strings.TrimSuffix(strings.TrimPrefix(lines[1], "string("), ")"))
		if len(lines) != 4 || lines[0] != "go test fuzz v1" || lines[2] != `byte(',')` || err != nil {
			t.Errorf("%q: %v", lines, err)
		}
		got[text] = true
	}
	if d := cmp.Diff(map[string]bool{raws[0]: true, raws[1]: true, "": true}, got); d != "" {
		t.Error(d)
	}
}
