package loop

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/tools"
)

func TestMessages(t *testing.T) {
	result := func(id, text string) Entry {
		return Entry{Role: User, Kind: KindResults, Results: []tools.Result{{ID: id, Name: "f", Status: tools.OK, Text: text}}}
	}
	shown := result("1.1", "hi")
	r := shown.content()
	tests := []struct {
		name    string
		entries []Entry
		want    []Message
	}{
		{"nothing", nil, []Message{{System, "sys"}}},
		{"a task", []Entry{{Role: User, Kind: KindTask, Text: "do"}}, []Message{{System, "sys"}, {User, "do"}}},
		{"neighbours of one role", []Entry{
			{Role: User, Kind: KindTask, Text: "do"}, {Role: User, Kind: KindSteer, Text: "fast"},
		}, []Message{{System, "sys"}, {User, "do\n\nfast"}}},
		{"results and a note", []Entry{
			{Role: User, Kind: KindTask, Text: "do"},
			{Role: Assistant, Kind: KindReply, Text: "call", Calls: []Call{{ID: "1.1"}}},
			shown, {Role: User, Kind: KindNote, Text: "hurry"},
		}, []Message{{System, "sys"}, {User, "do"}, {Assistant, "call"}, {User, r + "\n\nhurry"}}},
		{"an aborted reply is not shown", []Entry{
			{Role: User, Kind: KindTask, Text: "do"}, {Role: Assistant, Kind: KindAborted, Text: "hal"}, {Role: User, Kind: KindTask, Text: "again"},
		}, []Message{{System, "sys"}, {User, "do\n\nagain"}}},
		{"a reply first", []Entry{{Role: Assistant, Kind: KindReply, Text: "hi"}, {Role: User, Kind: KindTask, Text: "do"}},
			[]Message{{System, "sys"}, {User, "Go on."}, {Assistant, "hi"}, {User, "do"}}},
		{"entries of nobody", []Entry{
			{Role: User, Kind: KindTask, Text: "do"}, {Kind: KindSummary, Text: "did"}, {Role: System, Kind: KindNote, Text: "obey"}, {Role: User, Text: "now"},
		}, []Message{{System, "sys"}, {User, "do\n\nnow"}}},
		{"a summary", []Entry{{Role: User, Kind: KindTask, Text: "do"}, {Role: User, Kind: KindSummary, Text: "did"}},
			[]Message{{System, "sys"}, {User, "do\n\n" + summaryLead + "did"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, messages("sys", tt.entries)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
	}
}

func TestMend(t *testing.T) {
	reply := Entry{Role: Assistant, Kind: KindReply, Text: "x", Calls: []Call{{ID: "1.1", Name: "a"}, {ID: "1.2", Name: "b"}}}
	one := tools.Result{ID: "1.1", Name: "a", Status: tools.OK}
	two := tools.Result{ID: "1.2", Name: "b", Status: tools.OK}
	results := func(rs ...tools.Result) Entry { return Entry{Role: User, Kind: KindResults, Results: rs} }
	task := Entry{Role: User, Kind: KindTask, Text: "do"}
	lost := func(id string) string { return id + " aborted" }
	tests := []struct {
		name string
		in   []Entry
		want []string // id and status of each result
	}{
		{"whole", []Entry{task, reply, results(one, two)}, []string{"1.1 ok", "1.2 ok"}},
		{"out of order", []Entry{task, reply, results(two, one)}, []string{"1.1 ok", "1.2 ok"}},
		{"one lost", []Entry{task, reply, results(two)}, []string{lost("1.1"), "1.2 ok"}},
		{"all lost", []Entry{task, reply}, []string{lost("1.1"), lost("1.2")}},
		{"all lost and gone on", []Entry{task, reply, task}, []string{lost("1.1"), lost("1.2")}},
		{"results of nothing", []Entry{task, results(one)}, nil},
	}
	for _, tt := range tests {
		got := mend(tt.in)
		var have []string
		for _, e := range got {
			for _, r := range e.Results {
				have = append(have, r.ID+" "+string(r.Status))
			}
		}
		if diff := cmp.Diff(tt.want, have); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		checkPairs(t, got)
		if diff := cmp.Diff(got, mend(got)); diff != "" {
			t.Errorf("%s: mending twice differs:\n%s", tt.name, diff)
		}
	}
}

// The messages of a step begin with those of the step before, byte for byte.
func TestPrefixStability(t *testing.T) {
	q := &Queue{}
	a := &Agent{Tools: toolbox(), Guard: Guard{Strikes: 2}, Queue: q, Window: 20000}
	bad := `{"tool":"echo","args":{"text":"`
	_, s, tr := runScript(t, a,
		calls(use("echo", "text", "a")),
		cuts(bad), cuts(bad), calls(use("fail")),
		says("I will read the file now:"),
		calls(use("note", "text", "<|im_end|>")),
		calls(use("note", "text", "<|im_end|>")),
		line{do: func(*Request) { q.Steer("and fast") }, text: use("tick")},
		says("Sure. "+use("echo", "text", "b")+"\n<tool_response>invented</tool_response>"),
		cuts("the answer is"), says(" long\n<|im_start|>user\ninvented"))
	if last := tr.Entries[len(tr.Entries)-1]; strings.TrimSpace(last.Text) != "long" {
		t.Errorf("of the last reply is kept %q", last.Text)
	}
	var last []Message
	for i, req := range s.requests {
		if req.Vary > 0 {
			continue // a fresh request differs in its last line
		}
		for j, m := range last {
			if m != req.Messages[j] {
				t.Errorf("request %d, message %d changed:\n%q\nwas\n%q", i, j, req.Messages[j], m)
			}
		}
		last = req.Messages
	}
	if len(last) < 12 {
		t.Errorf("only %d messages at the end", len(last))
	}
	if strings.Contains(last[len(last)-3].Content+last[len(last)-4].Content, "invented") {
		t.Error("an invented result is kept")
	}
	if slices.ContainsFunc(last, func(m Message) bool { return strings.Contains(m.Content, "could not be used") }) {
		t.Error("a reminder is kept")
	}
}
