package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A shop is a value behind tools that look at it and change it, and that notice
// when more of them run at once than may.
type shop struct {
	readers, writers atomic.Int32
	value            atomic.Int64
	mostReaders      atomic.Int32
	wrong            atomic.Pointer[string]
	pause            time.Duration
}

func (s *shop) fault(text string) { s.wrong.CompareAndSwap(nil, &text) }

func (s *shop) tools() *tools.Set {
	anyArgs := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	return tools.NewSet(
		&tools.Tool{Name: "look", Class: tools.Read, Access: tools.ReadOnly, Parameters: anyArgs, Run: s.look},
		&tools.Tool{Name: "change", Class: tools.Write, Parameters: anyArgs, Run: s.change})
}

func (s *shop) look(ctx context.Context, c tools.Call) (any, error) {
	n := s.readers.Add(1)
	defer s.readers.Add(-1)
	for m := s.mostReaders.Load(); n > m && !s.mostReaders.CompareAndSwap(m, n); m = s.mostReaders.Load() {
	}
	if s.writers.Load() > 0 {
		s.fault("a reader ran beside a writer")
	}
	if sleep(ctx, s.pause) != nil {
		return nil, ctx.Err()
	}
	return fmt.Sprint("value ", s.value.Load()), nil
}

func (s *shop) change(ctx context.Context, c tools.Call) (any, error) {
	if s.writers.Add(1) > 1 || s.readers.Load() > 0 {
		s.fault("a writer did not run alone")
	}
	defer s.writers.Add(-1)
	if sleep(ctx, s.pause) != nil {
		return nil, ctx.Err()
	}
	return fmt.Sprint("value ", s.value.Add(1)), nil
}

// A thousand mixed batches: no writer runs beside anything, a read after a
// write sees it, results come in the order of the calls.
func TestMixedBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &shop{pause: time.Microsecond}
	a := &Agent{Tools: s.tools(), MaxSteps: -1, Guard: Guard{Off: true}, Window: 1 << 20}
	batches := 0
	m := &script{}
	m.next = func(req *Request) line {
		m.requests = nil
		if batches++; batches > 1000 {
			return says("done")
		}
		var cs []string
		for i := range 1 + rng.IntN(7) {
			cs = append(cs, use([]string{"look", "change"}[rng.IntN(4)/3], "n", i))
		}
		return calls(cs...)
	}
	a.Model = m
	tr := &Transcript{}
	a.Hooks.StopAfterStep = func(context.Context, State) bool {
		checkPairs(t, tr.Entries)
		checkValues(t, tr.Entries)
		tr.Entries = tr.Entries[:1] // keep the test fast
		return t.Failed()
	}
	if res := a.Run(context.Background(), tr, Prompt{Text: "go"}); res.Stop != StopFinal {
		t.Fatalf("%q: %v", res.Stop, res.Err)
	}
	if w := s.wrong.Load(); w != nil {
		t.Error(*w)
	}
}

// checkValues checks that values rise by one with each change and stay the same
// in between.
func checkValues(t *testing.T, entries []Entry) {
	t.Helper()
	last := -1
	for _, r := range entries[len(entries)-1].Results {
		var v int
		if _, err := fmt.Sscanf(r.Text, "value %d", &v); err != nil {
			t.Fatalf("%q: %v", r.Text, err)
		}
		want := last
		if r.Name == "change" {
			want++
		}
		if last >= 0 && v != want {
			t.Errorf("%s saw %d, want %d", r.Name, v, want)
		}
		last = v
	}
}

func TestReadersRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{pause: time.Second}
		a := &Agent{Tools: s.tools()}
		start := time.Now()
		runScript(t, a, calls(use("look", "n", 1), use("look", "n", 2), use("change"), use("look", "n", 1), use("look", "n", 2)), says("ok"))
		// On two cores two readers at a time: one second for each of the three batches.
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v, want 3s", took)
		}
		if s.mostReaders.Load() != 2 {
			t.Errorf("at most %d readers at once", s.mostReaders.Load())
		}
	})
}

// Equal ReadOnly calls of one batch run once and both have the result. Behind a
// change they run again.
func TestEqualCallsRunOnce(t *testing.T) {
	var mu sync.Mutex
	ran := map[string]int{}
	a := &Agent{Tools: toolbox()}
	count := &tools.Tool{Name: "peek", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`),
		Run: func(_ context.Context, c tools.Call) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			ran[string(c.Args)]++
			return "seen", nil
		}}
	a.Tools.Add(count)
	_, _, tr := runScript(t, a, calls(
		`{"tool":"peek","args":{"a":1,"b":2}}`, `{"tool":"peek","args":{"b":2,"a":1}}`, use("peek", "a", 3),
		use("note", "text", "x"), use("note", "text", "x"), `{"tool":"peek","args":{"a":1,"b":2}}`), says("ok"))
	want := []tools.Status{tools.OK, tools.OK, tools.OK, tools.OK, tools.OK, tools.OK}
	if diff := cmp.Diff(want, statuses(tr)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{`{"a":1,"b":2}`: 2, `{"a":3}`: 1}, ran); diff != "" {
		t.Error(diff)
	}
}

// Cancelling while tools run gives the running ones an aborted result with what
// they had, and the others a skipped one, at once.
func TestAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &tools.Tool{Name: "slow", Class: tools.Read, Access: tools.ReadOnly,
			Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
			Run: func(ctx context.Context, c tools.Call) (any, error) {
				<-ctx.Done()
				return "half of the output", ctx.Err()
			}}
		deaf := &tools.Tool{Name: "deaf", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(context.Context, tools.Call) (any, error) { time.Sleep(time.Hour); return nil, nil }}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		s := &script{lines: []line{calls(use("slow", "n", 1), use("deaf"), use("note", "text", "x"), use("slow", "n", 2))}}
		a := &Agent{Model: s, Tools: toolbox(slow, deaf), ToolTimeout: time.Hour}
		tr := &Transcript{}
		start := time.Now()
		res := a.Run(ctx, tr, Prompt{Text: "go"})
		if res.Stop != StopAbortedTools {
			t.Errorf("%q: %v", res.Stop, res.Err)
		}
		want := []tools.Status{tools.Aborted, tools.Aborted, tools.Skipped, tools.Skipped}
		if diff := cmp.Diff(want, statuses(tr)); diff != "" {
			t.Error(diff)
		}
		if text := tr.Entries[2].Results[0].Text; !strings.Contains(text, "half of the output") {
			t.Errorf("what it had is lost: %q", text)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("waited %v for a tool that does not stop", took)
		}
		checkRun(t, tr, s)

		// The next prompt is answered, and the model sees what was aborted.
		s.lines = []line{says("hello again")}
		if res := a.Run(context.Background(), tr, Prompt{Text: "hello"}); res.Answer != "hello again" {
			t.Errorf("%q: %v", res.Stop, res.Err)
		}
		if told := lastUser(s.requests[1]); !strings.Contains(told, "aborted") || !strings.HasSuffix(told, "hello") {
			t.Errorf("the model is told %q", told)
		}
		time.Sleep(time.Hour) // until the deaf one has ended too
	})
}

func TestToolTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := &tools.Tool{Name: "never", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(ctx context.Context, c tools.Call) (any, error) { <-ctx.Done(); return nil, ctx.Err() }}
		start := time.Now()
		res, _, tr := runScript(t, &Agent{Tools: toolbox(never)}, calls(use("never")), says("ok"))
		if res.Stop != StopFinal || time.Since(start) != time.Minute {
			t.Errorf("%q after %v", res.Stop, time.Since(start))
		}
		if !slices.Equal(statuses(tr), []tools.Status{tools.TimedOut}) {
			t.Errorf("statuses %q", statuses(tr))
		}
	})
}

// The room for results shrinks with what is left of the window, and is shared.
func TestResultBytes(t *testing.T) {
	var got []int
	big := &tools.Tool{Name: "big", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run: func(_ context.Context, c tools.Call) (any, error) {
			got = append(got, c.MaxBytes)
			return strings.Repeat("x", 100000), nil
		}}
	a := &Agent{Tools: tools.NewSet(big), Window: 8000}
	_, s, _ := runScript(t, a, calls(use("big", "n", 1)), calls(use("big", "n", 2)), says("ok"))
	if len(got) != 2 || got[0] > 8000*3/4/4*4 || got[1] >= got[0] {
		t.Errorf("room for results: %v", got)
	}
	for _, req := range s.requests {
		if n := guessMessages(req.Messages); n > 6000 {
			t.Errorf("a request of %v tokens", n)
		}
	}
	r := &run{a: a, room: room{window: 8000, reply: 2000}}
	if one, ten := r.resultBytes(1), r.resultBytes(10); ten*10 > 6000*3/4*4 || ten >= one {
		t.Errorf("one call has %d bytes, each of ten %d", one, ten)
	}
}

// However many calls a reply makes and however large their results are, the
// model sees something of each result, and a reply of more calls than that
// allows is asked for again.
func TestManyResults(t *testing.T) {
	big := &tools.Tool{Name: "big", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run: func(_ context.Context, c tools.Call) (any, error) {
			return string(c.Args) + strings.Repeat(" some words", 2000), nil
		}}
	for _, window := range []int{1024, 2048, 4096, 8192} {
		for _, n := range []int{1, 5, 8, 20, 40, 80} {
			var cs []string
			for i := range n {
				cs = append(cs, use("big", "n", i))
			}
			a := &Agent{Tools: tools.NewSet(big), Window: window}
			res, s, _ := runScript(t, a, calls(cs...), says("ok"))
			if res.Stop != StopFinal || len(s.requests) != 2 {
				t.Errorf("window %d, %d calls: %q after %d requests: %v", window, n, res.Stop, len(s.requests), res.Err)
				continue
			}
			told := lastUser(s.requests[1])
			seen := strings.Count(told, `status="ok">`+"\n{")
			again := strings.Contains(told, "more tool calls than there is room for results")
			if seen != n && !(again && seen == 0 && n > fewCalls) {
				t.Errorf("window %d: the model sees %d of %d results, asked again: %v", window, seen, n, again)
			}
		}
	}
}

// A run that is cancelled while a person is asked has no answer of the person.
func TestCancelledQuestion(t *testing.T) {
	for _, verdict := range []Verdict{Allowed, Forbidden, Refused, Rejected} {
		ctx, cancel := context.WithCancel(context.Background())
		hooked := 0
		s := &script{lines: []line{calls(use("note", "text", "x"), use("note", "text", "y"))}}
		a := &Agent{Model: s, Tools: toolbox(), Permit: func(context.Context, PermitRequest) Permission {
			cancel()
			return Permission{verdict, "nobody", "the question was cancelled"}
		}}
		a.Hooks.BeforeTool = func(context.Context, *Call) error { hooked++; return nil }
		tr := &Transcript{}
		asked := 0
		var res *Result
		for ev := range a.Events(ctx, tr, Prompt{Text: "go"}) {
			switch ev := ev.(type) {
			case Asked:
				asked++
			case RunEnded:
				res = ev.Result
			}
		}
		if res.Stop != StopAbortedTools || res.Refused != 0 || asked != 0 || hooked != 1 {
			t.Errorf("verdict %d: %q, %d refused, %d answers, %d hooks", verdict, res.Stop, res.Refused, asked, hooked)
		}
		if got := statuses(tr); !slices.Equal(got, []tools.Status{tools.Skipped, tools.Skipped}) {
			t.Errorf("verdict %d: statuses %q", verdict, got)
		}
	}
}

func TestBudget(t *testing.T) {
	l := func(text string, prompt, output int) line {
		return line{text: text, prompt: prompt, output: output, finish: 1}
	}
	res, s, _ := runScript(t, &Agent{Tools: toolbox(), MaxTokens: 2500},
		l(use("echo", "text", "a"), 300, 700), l(use("echo", "text", "b"), 400, 700), says("never asked"))
	if res.Stop != StopBudget || res.State.Usage.PromptTokens+res.State.Usage.OutputTokens != 2100 {
		t.Errorf("%q with %+v", res.Stop, res.State.Usage)
	}
	if len(s.requests) != 2 || s.requests[1].MaxOutput > 1500-300 {
		t.Errorf("%d requests, the second with room for %d tokens", len(s.requests), s.requests[1].MaxOutput)
	}
}

// Fresh requests and summaries are paid for as any other.
func TestBudgetOfRetries(t *testing.T) {
	bad := line{text: `{"tool":"echo","args":{"text":"`, prompt: 400, output: 100, finish: 1}
	res, s, _ := runScript(t, &Agent{Tools: toolbox(), MaxTokens: 1400, Retries: 9}, slices.Repeat([]line{bad}, 10)...)
	if res.Stop != StopBudget || len(s.requests) != 2 || s.requests[1].MaxOutput > 1400-500-400 {
		t.Errorf("%q after %d requests: %v", res.Stop, len(s.requests), res.Err)
	}
	if res.Raw != bad.text {
		t.Errorf("the reply that could not be used is %q", res.Raw)
	}

	summaries := 0
	s = &script{}
	long := work(30, strings.Repeat("I ramble on. ", 30))
	s.next = func(req *Request) line {
		if isSummary(req) {
			summaries++
		}
		return long(req)
	}
	a := &Agent{Model: s, Tools: toolbox(), Window: 2000, MaxSteps: -1, MaxTokens: 30000}
	res = a.Run(context.Background(), nil, Prompt{Text: "go"})
	used := res.State.Usage.PromptTokens + res.State.Usage.OutputTokens
	if res.Stop != StopBudget || summaries == 0 || used > a.MaxTokens {
		t.Errorf("%q with %d tokens and %d summaries: %v", res.Stop, used, summaries, res.Err)
	}
}

// Equal calls run once, and each has the result as it came: a hook sees it once
// for each, and what was read differently in one was not in the other.
func TestEqualCallsShareWhatCame(t *testing.T) {
	ran := 0
	look := &tools.Tool{Name: "look", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run:        func(context.Context, tools.Call) (any, error) { ran++; return "seen", nil }}
	a := &Agent{Tools: tools.NewSet(look)}
	a.Hooks.AfterTool = func(_ context.Context, c Call, r *tools.Result) error { r.Text += " " + c.ID; return nil }
	_, _, tr := runScript(t, a, calls(use("look", "n", "1"), use("look", "n", 1)), says("ok"))
	var got []string
	for _, r := range tr.Entries[2].Results {
		got = append(got, fmt.Sprint(r.Text, r.Coerced))
	}
	if diff := cmp.Diff([]string{`seen 1.1[n: "1" read as 1]`, "seen 1.2[]"}, got); diff != "" || ran != 1 {
		t.Errorf("ran %d times: %s", ran, diff)
	}
}

// Arguments that are no JSON, of a model that puts calls beside the text, are
// answered like others, and the conversation can still be written down.
func TestNativeArguments(t *testing.T) {
	for args, want := range map[string]tools.Status{
		"":            tools.OK,
		"null":        tools.OK,
		`{"n":1}`:     tools.OK,
		`{"n":1`:      tools.InvalidArgs,
		`[1]`:         tools.InvalidArgs,
		"\xff":        tools.InvalidArgs,
		`{"n":"two"}`: tools.InvalidArgs,
	} {
		s := &shop{}
		_, _, tr := runScript(t, &Agent{Tools: s.tools()}, line{calls: []parse.Call{{Name: "look", Args: json.RawMessage(args)}}}, says("ok"))
		if got := statuses(tr); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, want %s", args, got, want)
		}
		written, err := json.Marshal(tr)
		if err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		var read Transcript
		if err := json.Unmarshal(written, &read); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// Calls that a hook puts in the place of an empty reply stand in the conversation
// before their results.
func TestCallsOfAHook(t *testing.T) {
	s := &shop{}
	a := &Agent{Tools: s.tools()}
	a.Hooks.AfterModel = func(_ context.Context, r *parse.Result) error {
		if r.Outcome == parse.Unparseable {
			*r = parse.Result{Outcome: parse.Calls, Calls: []parse.Call{{Name: "look", Args: json.RawMessage(`{"n":1}`)}}}
		}
		return nil
	}
	_, m, tr := runScript(t, a, says(""), says("ok"))
	if len(tr.Entries) != 4 || len(tr.Entries[1].Calls) != 1 || len(tr.Entries[2].Results) != 1 {
		t.Errorf("%+v", tr.Entries)
	}
	if said := m.requests[1].Messages[2].Content; !strings.Contains(said, `"look"`) {
		t.Errorf("the model sees %q", said)
	}
}
