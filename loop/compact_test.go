package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/tools"
)

// story builds a conversation from words: "t:TEXT" a task, "s:TEXT" a steering
// message, "n:TEXT" a note, "r:TEXT" a reply without calls, "z:TEXT" a summary;
// NAME(ARGS)=STATUS:TEXT one call and its result.
func story(words ...string) []Entry {
	var es []Entry
	for i, w := range words {
		kinds := map[string]string{"t:": KindTask, "s:": KindSteer, "n:": KindNote, "z:": KindSummary}
		if kind := kinds[w[:2]]; kind != "" {
			es = append(es, Entry{Role: User, Kind: kind, Text: w[2:]})
			continue
		}
		if w[:2] == "r:" {
			es = append(es, Entry{Role: Assistant, Kind: KindReply, Text: w[2:]})
			continue
		}
		call, result, _ := strings.Cut(w, "=")
		name, args, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
		status, text, _ := strings.Cut(result, ":")
		id := fmt.Sprint(i+1, ".1")
		raw, _ := json.Marshal(map[string]string{"x": args})
		es = append(es,
			Entry{Role: Assistant, Kind: KindReply, Text: call, Calls: []Call{{ID: id, Name: name, Args: raw}}},
			Entry{Role: User, Kind: KindResults, Results: []tools.Result{{ID: id, Name: name, Status: tools.Status(status), Text: text}}})
	}
	return es
}

// tale is the inverse of story, results in short.
func tale(es []Entry) []string {
	var out []string
	for i, e := range es {
		switch {
		case len(e.Calls) > 0:
			r := es[i+1].Results[0]
			text := r.Text
			if strings.HasPrefix(text, "(removed to save room") {
				text = "…"
			}
			out = append(out, e.Text+"="+string(r.Status)+":"+text)
		case e.Kind != KindResults:
			letter := map[string]string{KindTask: "t:", KindSteer: "s:", KindNote: "n:", KindSummary: "z:", KindReply: "r:"}[e.Kind]
			out = append(out, letter+e.Text)
		}
	}
	return out
}

func TestSnip(t *testing.T) {
	looks := func(name string) bool { return name != "write" }
	tail := []string{"p(1)=ok:a", "q(1)=ok:b", "p(2)=ok:c"} // the newest entries stay
	tests := []struct {
		name     string
		in, want []string
	}{
		{"nothing to snip", []string{"t:do", "f(a)=ok:x"}, []string{"t:do", "f(a)=ok:x"}},
		{"an older read of the same", []string{"t:do", "f(a)=ok:old", "g(b)=ok:y", "f(a)=ok:new"}, []string{"t:do", "g(b)=ok:y", "f(a)=ok:new"}},
		{"a change made twice", []string{"t:do", "write(a)=ok:x", "write(a)=ok:y"}, []string{"t:do", "write(a)=ok:x", "write(a)=ok:y"}},
		{"a read with other arguments", []string{"t:do", "f(a)=ok:x", "f(b)=ok:y"}, []string{"t:do", "f(a)=ok:x", "f(b)=ok:y"}},
		{"a failure that was corrected", []string{"t:do", "f(a)=error:x", "f(b)=ok:y"}, []string{"t:do", "f(b)=ok:y"}},
		{"a command that failed", []string{"t:do", "write(a)=error:x", "write(b)=ok:y"}, []string{"t:do", "write(a)=error:x", "write(b)=ok:y"}},
		{"a command that was not allowed", []string{"t:do", "write(a)=denied:x", "write(b)=ok:y"}, []string{"t:do", "write(a)=denied:x", "write(b)=ok:y"}},
		{"a command with wrong arguments", []string{"t:do", "write(a)=invalid_args:x", "write(b)=ok:y"}, []string{"t:do", "write(b)=ok:y"}},
		{"a failure that was not", []string{"t:do", "f(a)=error:x", "g(b)=ok:y"}, []string{"t:do", "f(a)=error:x", "g(b)=ok:y"}},
		{"a success before a failure", []string{"t:do", "f(a)=ok:x", "f(a)=error:y"}, []string{"t:do", "f(a)=ok:x", "f(a)=error:y"}},
		{"what the guard did not run", []string{"t:do", "f(a)=ok:x", "f(a)=repeated:no"}, []string{"t:do", "f(a)=ok:x"}},
		{"notes", []string{"t:do", "f(a)=ok:x", "n:hurry"}, []string{"t:do", "f(a)=ok:x"}},
		{"an announcement and its nudge", []string{"t:do", "r:I will", "n:" + noteAnnounced, "f(a)=ok:x"}, []string{"t:do", "f(a)=ok:x"}},
		{"what parts two replies stays", []string{"t:do", "r:one", "n:" + noteContinue, "r:two"}, []string{"t:do", "r:one", "n:" + noteContinue, "r:two"}},
		{"pieces of an answer stay", []string{"t:do", "r:one", "n:" + noteGoOn, "r:two"}, []string{"t:do", "r:one", "n:" + noteGoOn, "r:two"}},
		{"earlier tasks and answers stay", []string{"t:do", "r:done", "t:more"}, []string{"t:do", "r:done", "t:more"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := story(append(slices.Clone(tt.in), tail...)...)
			before := tale(in)
			got := snip(in, usual, looks)
			if diff := cmp.Diff(append(slices.Clone(tt.want), tail...), tale(got)); diff != "" {
				t.Error(diff)
			}
			checkPairs(t, got)
			if diff := cmp.Diff(before, tale(in)); diff != "" {
				t.Errorf("the input changed:\n%s", diff)
			}
			if diff := cmp.Diff(tale(got), tale(snip(got, usual, looks))); diff != "" {
				t.Errorf("snipping twice differs:\n%s", diff)
			}
		})
	}
	fresh := story("t:do", "f(a)=ok:x", "f(a)=ok:y")
	if diff := cmp.Diff(tale(fresh), tale(snip(fresh, usual, looks))); diff != "" {
		t.Errorf("the newest entries changed:\n%s", diff)
	}
}

func TestMicrocompact(t *testing.T) {
	long := func(c string) string { return strings.Repeat(c, 700) } // 200 tokens
	in := story("t:do", "f(1)=ok:"+long("a"), "keep(2)=ok:"+long("b"), "f(3)=ok:short", "f(4)=ok:"+long("c"),
		"f(5)=ok:"+long("d"), "f(6)=ok:"+long("e"), "f(7)=ok:"+long("f"))
	var e estimator
	keep := func(name string) bool { return name == "keep" }
	tests := []struct {
		name   string
		excess int
		stubs  string // the numbers of those that shrink
	}{
		{"nothing is due", 0, ""},
		{"the oldest is enough", 100, "1"},
		{"all that may", 100000, "14"},
	}
	for _, tt := range tests {
		got := microcompact(in, usual, keep, tt.excess, e.text)
		var stubs string
		for i, en := range got {
			for _, r := range en.Results {
				if strings.HasPrefix(r.Text, "(removed") {
					stubs += string(got[i-1].Text[2])
					if !r.Truncated || !strings.Contains(r.Text, "700 bytes") || r.Status != tools.OK {
						t.Errorf("%s: stub %+v", tt.name, r)
					}
				}
			}
		}
		if stubs != tt.stubs {
			t.Errorf("%s: %q shrank, want %q", tt.name, stubs, tt.stubs)
		}
		checkPairs(t, got)
		if diff := cmp.Diff(got, microcompact(got, usual, keep, tt.excess-400, e.text)); tt.stubs == "14" && diff != "" {
			t.Errorf("%s: twice differs:\n%s", tt.name, diff)
		}
	}
	if strings.HasPrefix(in[2].Results[0].Text, "(removed") {
		t.Error("the input changed")
	}
}

func TestSummarized(t *testing.T) {
	tests := []struct {
		name     string
		in, want []string
	}{
		{"too short", []string{"t:do", "f(1)=ok:a", "f(2)=ok:b"}, nil},
		{"the task stays", []string{"t:do", "f(1)=ok:a", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d"},
			[]string{"t:do", "z:S", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d"}},
		{"never between a call and its result", []string{"t:do", "f(1)=ok:a", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d", "n:hurry"},
			[]string{"t:do", "z:S", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d", "n:hurry"}},
		{"the last task is the task", []string{"t:one", "r:1", "t:two", "f(1)=ok:a", "f(2)=ok:b", "f(3)=ok:c"},
			[]string{"t:two", "z:S", "f(1)=ok:a", "f(2)=ok:b", "f(3)=ok:c"}},
		{"a task among the newest", []string{"t:one", "f(1)=ok:a", "f(2)=ok:b", "r:1", "t:two", "f(3)=ok:c", "f(4)=ok:d"},
			[]string{"z:S", "r:1", "t:two", "f(3)=ok:c", "f(4)=ok:d"}},
		{"a summary of a summary", []string{"t:do", "z:old", "f(1)=ok:a", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d"},
			[]string{"t:do", "z:S", "f(2)=ok:b", "f(3)=ok:c", "f(4)=ok:d"}},
	}
	for _, tt := range tests {
		in := story(tt.in...)
		cut := older(in, usual)
		if tt.want == nil {
			if cut != 0 {
				t.Errorf("%s: cut at %d", tt.name, cut)
			}
			continue
		}
		got := summarized(in, cut, "S")
		if diff := cmp.Diff(tt.want, tale(got)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		checkPairs(t, got)
	}
}

func TestSummaryMessages(t *testing.T) {
	es := story("t:count the words", "f(1)=ok:"+strings.Repeat("long ", 2000), "z:earlier", "f(2)=error:<|im_end|>")
	ms := summaryMessages(es, 3000)
	checkAlternates(t, ms)
	text := ms[1].Content
	if len(text) > 3400 {
		t.Errorf("%d bytes", len(text))
	}
	for _, s := range []string{"USER: count the words", "RESULT of f (ok): long", "left out", "EARLIER SUMMARY: earlier", "RESULT of f (error)"} {
		if !strings.Contains(text, s) {
			t.Errorf("lacks %q", s)
		}
	}
	if strings.Contains(text, "<|im_end|>") {
		t.Error("a control token is not broken")
	}
}

// A request for a summary fits the window, also of a conversation that grew in
// a larger one, whatever it is written in.
func TestSummaryFits(t *testing.T) {
	for _, text := range []string{"word ", "漢字", "🙂", "<|im_end|>"} {
		tr := &Transcript{}
		for i := range 12 {
			id := fmt.Sprint(i)
			tr.Entries = append(tr.Entries,
				Entry{Role: Assistant, Kind: KindReply, Text: strings.Repeat(text, 300), Calls: []Call{{ID: id, Name: "note"}}},
				Entry{Role: User, Kind: KindResults, Results: []tools.Result{{ID: id, Name: "note", Status: tools.OK, Text: "x"}}})
		}
		a := &Agent{Tools: toolbox(), Window: 4096}
		s := &script{next: func(req *Request) line {
			if n := int(guessMessages(req.Messages)) + req.MaxOutput; n > a.Window {
				t.Errorf("%q: a request of %d tokens with its reply", text, n)
			}
			return says("Intent: x")
		}}
		a.Model = s
		a.Run(context.Background(), tr, Prompt{Text: "and now?"})
		if !isSummary(s.requests[0]) {
			t.Errorf("%q: no summary", text)
		}
	}
}

func TestClipMiddle(t *testing.T) {
	tests := []struct{ in, want string }{
		{"short", "short"},
		{strings.Repeat("a", 20) + strings.Repeat("b", 20), "aaaaaaaa\n[… 28 bytes left out …]\nbbbb"},
		{strings.Repeat("ä", 20), "ääää\n[… 28 bytes left out …]\nää"},
	}
	for _, tt := range tests {
		if got := clipMiddle(tt.in, 12); got != tt.want {
			t.Errorf("clipMiddle(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A long task goes on in a small window: compacted in batches, with the task
// still there word for word, and never more than fits.
func TestLongTaskInASmallWindow(t *testing.T) {
	s := &script{next: work(40, "Intent: say words\nDone: said many\nState: go on")}
	a := &Agent{Model: s, Tools: toolbox(), Window: 3000, MaxSteps: 200}
	tr := &Transcript{}
	evs := eventsOf(a, tr, Prompt{Text: "Say THE EXACT TASK."})
	res := eventsOfType[RunEnded](evs)[0].Result
	if res.Stop != StopMaxSteps || res.State.Step != 200 {
		t.Fatalf("%q after %d steps: %v", res.Stop, res.State.Step, res.Err)
	}
	tiers := map[string]int{}
	batches, step := map[int]bool{}, 0
	for _, ev := range evs {
		switch ev := ev.(type) {
		case StepStarted:
			step = ev.Step
		case Compacted:
			tiers[ev.Tier]++
			batches[step] = true
			if ev.After >= ev.Before {
				t.Errorf("%s: from %d to %d tokens", ev.Tier, ev.Before, ev.After)
			}
		}
	}
	if tiers["microcompact"] == 0 || tiers["summarize"] == 0 || tiers["summarize"] > 200/6 || len(batches) > 200/3 {
		t.Errorf("compactions %v at %d of 200 steps: none of a kind, or a dribble", tiers, len(batches))
	}
	for i, req := range s.requests {
		if n := guessMessages(req.Messages); n > 3000-750 {
			t.Errorf("request %d has %v tokens", i, n)
		}
		if !isSummary(req) && !strings.Contains(req.Messages[1].Content, "Say THE EXACT TASK.") {
			t.Errorf("request %d lacks the task", i)
		}
	}
	checkRun(t, tr, s)
}

// Keep tools keep their results.
func TestKeep(t *testing.T) {
	set := toolbox(&tools.Tool{Name: "plan", Class: tools.Read, Access: tools.ReadOnly, Keep: true,
		Run: func(context.Context, tools.Call) (any, error) { return strings.Repeat("THE PLAN ", 30), nil }})
	n := 0
	s := &script{}
	s.next = func(req *Request) line {
		if n++; n == 1 {
			return calls(use("plan"))
		}
		return says(use("echo", "text", strings.Repeat(fmt.Sprint("w", n, " "), 90)))
	}
	a := &Agent{Model: s, Tools: set, Window: 3000, MaxSteps: 14}
	evs := eventsOf(a, nil, Prompt{Text: "go"})
	if len(eventsOfType[Compacted](evs)) == 0 {
		t.Fatal("nothing was compacted")
	}
	last := s.requests[len(s.requests)-1]
	if !slices.ContainsFunc(last.Messages, func(m Message) bool { return strings.Contains(m.Content, "THE PLAN THE PLAN") }) {
		t.Error("the result of a Keep tool is gone")
	}
	if !slices.ContainsFunc(last.Messages, func(m Message) bool { return strings.Contains(m.Content, "removed to save room") }) {
		t.Error("no other result was shortened")
	}
}

// A long run costs no more at its end than near its beginning: steps that
// happened long ago are gone from memory.
func TestLongRunsStayFlat(t *testing.T) {
	const steps = 1000
	s := &script{}
	next := work(60, "Intent: say words")
	var heap [steps + 1]uint64
	var took [steps + 1]time.Duration
	last := time.Now()
	s.next = func(req *Request) line { s.requests = nil; return next(req) }
	a := &Agent{Model: s, Tools: toolbox(), Window: 8192, MaxSteps: steps}
	a.Hooks.StopAfterStep = func(_ context.Context, st State) bool {
		took[st.Step] = time.Since(last)
		if st.Step%10 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap[st.Step] = m.HeapAlloc
		}
		last = time.Now()
		return false
	}
	if res := a.Run(context.Background(), nil, Prompt{Text: "go"}); res.Stop != StopMaxSteps || res.State.Step != steps {
		t.Fatalf("%q after %d steps: %v", res.Stop, res.State.Step, res.Err)
	}
	median := func(from, to int, of func(i int) uint64) uint64 {
		var vs []uint64
		for i := from; i < to; i++ {
			if v := of(i); v > 0 {
				vs = append(vs, v)
			}
		}
		slices.Sort(vs)
		return vs[len(vs)/2]
	}
	early := median(100, 200, func(i int) uint64 { return heap[i] })
	late := median(steps-100, steps, func(i int) uint64 { return heap[i] })
	if late > early*3/2 {
		t.Errorf("heap grew from %d to %d bytes", early, late)
	}
	t.Logf("heap %d and %d bytes; a step takes %v and %v", early, late,
		time.Duration(median(100, 200, func(i int) uint64 { return uint64(took[i]) })),
		time.Duration(median(steps-100, steps, func(i int) uint64 { return uint64(took[i]) })))
}
