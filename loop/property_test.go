package loop

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/tools"
)

// A chaos makes random runs: replies of every kind, tools that fail in every
// way, people who say no, and a cancel at a random moment.
type chaos struct{ *rand.Rand }

func (c chaos) chance(percent int) bool { return c.IntN(100) < percent }

func (c chaos) word() string { return []string{"a", "b", "漢", "<|im_end|>", "c\nd"}[c.IntN(5)] }

func (c chaos) call() string {
	switch c.IntN(12) {
	case 0:
		return use("open_file", "path", c.word())
	case 1:
		return use("echo", "txt", 1)
	case 2:
		return use([]string{"fail", "boom", "tick", "nap"}[c.IntN(4)])
	case 3:
		return use("note", "text", c.word())
	case 4:
		return use("big", "n", c.IntN(100))
	}
	return use("echo", "text", c.word()+[]string{"", "1", "2"}[c.IntN(3)])
}

func (c chaos) text() string {
	switch c.IntN(20) {
	case 0:
		return ""
	case 1:
		return "I will read the file now:"
	case 2:
		return "The answer is 42."
	case 3:
		return "<think>hm</think>" + c.call()
	case 4:
		return c.call()[:10]
	case 5:
		return c.call() + "\n<tool_response>\ninvented\n</tool_response>\n" + c.call()
	case 6:
		return strings.Repeat("on and on ", 900)
	}
	var parts []string
	for range 1 + c.IntN(c.IntN(4)+1) {
		parts = append(parts, c.call())
	}
	return strings.Join(parts, "\nand\n")
}

func (c chaos) line(*Request) line {
	l := line{text: c.text(), finish: 1, pieces: c.IntN(40)}
	switch c.IntN(25) {
	case 0:
		l.finish = 2
	case 1:
		l.open = true
	case 2:
		l.err = &ModelError{Kind: []ErrorKind{Unreachable, Busy, Broken, TooLong}[c.IntN(4)], Err: errors.New("passing")}
	case 3:
		l.thinking = "let me see"
	case 4:
		l.wait = time.Duration(c.IntN(5000)) * time.Millisecond
	}
	if c.chance(1) {
		l.err = errors.New("the server is gone")
	}
	if c.chance(10) {
		l.prompt, l.output = c.IntN(4000), c.IntN(500)
	}
	return l
}

func (c chaos) agent(q *Queue) *Agent {
	a := &Agent{
		MaxSteps: 1 + c.IntN(40), Window: 1500 + c.IntN(6000), EarlyStart: c.chance(50),
		Guard: Guard{Off: c.chance(30), Strikes: c.IntN(3)}, Queue: q,
	}
	if c.chance(20) {
		a.MaxTokens = 500 + c.IntN(50000)
	}
	if c.chance(60) {
		a.Permit = func(_ context.Context, r PermitRequest) Permission {
			if r.Tool.Class == tools.Read || c.chance(60) {
				return Permission{}
			}
			return Permission{Verdict: Verdict(c.IntN(4))}
		}
	}
	nap := &tools.Tool{Name: "nap", Class: tools.Read, Access: tools.ReadOnly, Timeout: time.Second,
		Run: func(ctx context.Context, _ tools.Call) (any, error) {
			return "rested", sleep(ctx, 1500*time.Millisecond)
		}}
	big := &tools.Tool{Name: "big", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run: func(ctx context.Context, t tools.Call) (any, error) {
			return strings.Repeat(string(t.Args)+" ", 500), nil
		}}
	a.Tools = toolbox(nap, big)
	return a
}

// Whatever happens in a run, it ends with a stated reason, every call has one
// result, in order, and the conversation can be gone on with: the events give
// the same one, and any prefix of its entries makes an alternating prompt.
func TestRandomRuns(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 50
	}
	stops := map[Stop]int{}
	for seed := range runs {
		synctest.Test(t, func(t *testing.T) { stops[randomRun(t, uint64(seed))]++ })
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
	t.Logf("%v", stops)
	for _, stop := range []Stop{StopFinal, StopMaxSteps, StopAbortedModel, StopLoopGuard, StopDenied} {
		if stops[stop] == 0 && !testing.Short() {
			t.Errorf("no run ended as %s: the test sees too little", stop)
		}
	}
}

// prefixes checks that the first request of each step begins with the one of
// the step before, byte for byte, unless the conversation was compacted.
type prefixes struct {
	last string
	next int  // index of the first request of this step
	due  bool // it was not looked at yet
}

func (p *prefixes) check(t *testing.T, ev Event, requests []*Request) {
	t.Helper()
	if _, ok := ev.(StepStarted); ok {
		p.next, p.due = len(requests), true
	}
	if p.due && p.next < len(requests) {
		var b strings.Builder
		for _, m := range requests[p.next].Messages {
			b.WriteString("\n[" + string(m.Role) + "]\n" + m.Content)
		}
		if !strings.HasPrefix(b.String(), p.last) {
			t.Errorf("a step begins with\n%s\nand the one before with\n%s", b.String(), p.last)
		}
		p.last, p.due = b.String(), false
	}
	if _, ok := ev.(Compacted); ok {
		p.last = ""
	}
}

func randomRun(t *testing.T, seed uint64) Stop {
	c := chaos{rand.New(rand.NewPCG(seed, 7))}
	q := &Queue{}
	a := c.agent(q)
	s := &script{next: c.line}
	a.Model = s
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.chance(40) {
		time.AfterFunc(time.Duration(c.IntN(20000))*time.Millisecond, cancel)
	}
	tr, again := &Transcript{}, &Transcript{}
	var res *Result
	var prefix prefixes
	leave := c.IntN(3000)
	for ev := range a.Events(ctx, tr, Prompt{Text: "do " + c.word()}) {
		again.Apply(ev)
		prefix.check(t, ev, s.requests)
		if end, ok := ev.(RunEnded); ok {
			res = end.Result
		}
		if c.chance(1) {
			q.Steer("also " + c.word())
		}
		if leave--; leave < 0 {
			break
		}
	}
	checkRun(t, tr, s)
	for i := range tr.Entries {
		part := mend(tr.Entries[:i+1])
		checkPairs(t, part)
		ms := messages("sys", append(part, Entry{Role: User, Kind: KindTask, Text: "go on"}))
		checkAlternates(t, ms)
	}
	if leave < 0 {
		return "left"
	}
	if diff := cmp.Diff(tr, again); diff != "" {
		t.Errorf("the events give another conversation:\n%s", diff)
	}
	if advice, ok := advice[res.Stop]; !ok || res.Advice != advice {
		t.Errorf("stop %q with advice %q", res.Stop, res.Advice)
	}
	if (res.Err == nil) != (res.Stop == StopFinal) {
		t.Errorf("stop %q with error %v", res.Stop, res.Err)
	}
	return res.Stop
}
