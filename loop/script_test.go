package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A script is a model that plays one line for each request, and keeps the
// requests. Past its end it plays the last line again if that says so, else it
// fails.
type script struct {
	lines    []line
	forever  bool                    // the last line again and again
	next     func(req *Request) line // in place of lines
	requests []*Request
	window   int
}

// A line is what a scripted model does for one request.
type line struct {
	text     string
	thinking string
	calls    []parse.Call
	finish   parse.Finish
	prompt   int // counted tokens
	output   int
	err      error         // after the text
	open     bool          // no terminal chunk
	wait     time.Duration // before the text
	hang     bool          // after the text, until the context ends
	pieces   int           // bytes of each chunk; 0: all at once
	endless  bool          // the text again and again
	do       func(req *Request)
}

func says(text string) line   { return line{text: text, finish: parse.FinishStop} }
func cuts(text string) line   { return line{text: text, finish: parse.FinishLength} }
func fails(err error) line    { return line{err: err} }
func calls(cs ...string) line { return says(strings.Join(cs, "\n")) }

// use writes a call: name, then keys and values of its arguments.
func use(name string, kv ...any) string {
	args := make(map[string]any)
	for i := 0; i+1 < len(kv); i += 2 {
		args[kv[i].(string)] = kv[i+1]
	}
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"tool":%q,"args":%s}`, name, b)
}

func (s *script) Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		s.requests = append(s.requests, req)
		l := fails(errors.New("the script has ended"))
		switch {
		case s.next != nil:
			l = s.next(req)
		case len(s.lines) > 0:
			l = s.lines[0]
			if !s.forever || len(s.lines) > 1 {
				s.lines = s.lines[1:]
			}
		}
		if err := l.play(ctx, req, yield); err != nil {
			yield(Chunk{}, err)
		}
	}
}

func (l line) play(ctx context.Context, req *Request, yield func(Chunk, error) bool) error {
	if l.do != nil {
		l.do(req)
	}
	if l.wait > 0 && sleep(ctx, l.wait) != nil {
		return ctx.Err()
	}
	if l.thinking != "" && !yield(Chunk{Thinking: l.thinking}, nil) {
		return nil
	}
	size := max(l.pieces, 1)
	if l.pieces == 0 {
		size = len(l.text) + 1
	}
	for again := true; again; again = l.endless {
		for p := range slices.Chunk([]byte(l.text), size) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !yield(Chunk{Text: string(p)}, nil) {
				return nil
			}
		}
		if (l.calls != nil || l.endless && l.text == "") && !yield(Chunk{Calls: l.calls}, nil) {
			return nil
		}
	}
	if l.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	if l.err == nil && !l.open {
		yield(Chunk{Done: &Done{Finish: l.finish, Prompt: l.prompt, Output: l.output}}, nil)
	}
	return l.err
}

func (s *script) Window(context.Context) (int, error) { return s.window, nil }

// toolbox is a set of small tools: echo reads, note writes, tick is volatile,
// fail fails, boom panics.
func toolbox(more ...*tools.Tool) *tools.Set {
	text := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)
	said := func(ctx context.Context, c tools.Call) (any, error) {
		var a struct{ Text string }
		err := json.Unmarshal(c.Args, &a)
		return "said " + a.Text, err
	}
	ticks := 0
	set := tools.NewSet(
		&tools.Tool{Name: "echo", Description: "Says a text back.", Parameters: text, Class: tools.Read, Access: tools.ReadOnly, Run: said},
		&tools.Tool{Name: "note", Description: "Writes a text down.", Parameters: text, Class: tools.Write, Run: said},
		&tools.Tool{Name: "tick", Description: "Counts its calls.", Class: tools.Read, Access: tools.ReadOnly, Volatile: true,
			Run: func(context.Context, tools.Call) (any, error) { ticks++; return fmt.Sprint("tick ", ticks), nil }},
		&tools.Tool{Name: "fail", Description: "Fails.", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(context.Context, tools.Call) (any, error) { return nil, errors.New("the disk is full") }},
		&tools.Tool{Name: "boom", Description: "Panics.", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(context.Context, tools.Call) (any, error) { panic("boom") }},
	)
	for _, t := range more {
		set.Add(t)
	}
	return set
}

// runScript runs the agent over a script and checks what holds for every run.
func runScript(t *testing.T, a *Agent, lines ...line) (*Result, *script, *Transcript) {
	t.Helper()
	s := &script{lines: lines}
	a.Model = s
	tr := &Transcript{}
	res := a.Run(context.Background(), tr, Prompt{Text: "go"})
	checkRun(t, tr, s)
	return res, s, tr
}

// checkRun checks what holds for every run: one result for each call, in their
// order, and requests that alternate.
func checkRun(t *testing.T, tr *Transcript, s *script) {
	t.Helper()
	checkPairs(t, tr.Entries)
	for _, req := range s.requests {
		checkAlternates(t, req.Messages)
	}
}

func checkPairs(t *testing.T, entries []Entry) {
	t.Helper()
	for i, e := range entries {
		if len(e.Calls) == 0 {
			continue
		}
		if i+1 >= len(entries) || entries[i+1].Kind != KindResults {
			t.Errorf("entry %d: calls without results", i)
			continue
		}
		rs := entries[i+1].Results
		if len(rs) != len(e.Calls) {
			t.Errorf("entry %d: %d results for %d calls", i, len(rs), len(e.Calls))
			continue
		}
		for j, c := range e.Calls {
			if rs[j].ID != c.ID || rs[j].Status == "" {
				t.Errorf("entry %d: result %d is %q (%q), want the one of call %q", i, j, rs[j].ID, rs[j].Status, c.ID)
			}
		}
	}
}

func checkAlternates(t *testing.T, ms []Message) {
	t.Helper()
	for i, m := range ms {
		want := User
		switch {
		case i == 0 && m.Role == System:
			continue
		case i > 0 && ms[i-1].Role == User:
			want = Assistant
		}
		if m.Role != want {
			t.Errorf("message %d is of %q, want %q", i, m.Role, want)
		}
	}
	if len(ms) == 0 || ms[len(ms)-1].Role != User {
		t.Errorf("the last message is not the user's")
	}
}

// isSummary reports whether a request asks for a summary.
func isSummary(req *Request) bool { return strings.HasPrefix(req.Messages[0].Content, "You shorten") }

// work never ends: each step calls echo with another text of n words, and
// summaries are what summary says.
func work(n int, summary string) func(*Request) line {
	step := 0
	return func(req *Request) line {
		if isSummary(req) {
			return says(summary)
		}
		step++
		return says(use("echo", "text", strings.Repeat(fmt.Sprintf("word%d ", step), n)))
	}
}

// lastUser is the last message of a request.
func lastUser(req *Request) string { return req.Messages[len(req.Messages)-1].Content }

// statuses are the statuses of all results of a conversation, in order.
func statuses(tr *Transcript) []tools.Status {
	var out []tools.Status
	for _, e := range tr.Entries {
		for _, r := range e.Results {
			out = append(out, r.Status)
		}
	}
	return out
}

// eventsOf runs the agent and collects its events.
func eventsOf(a *Agent, tr *Transcript, p Prompt) []Event {
	return slices.Collect(a.Events(context.Background(), tr, p))
}

func eventsOfType[E Event](evs []Event) []E {
	var out []E
	for _, ev := range evs {
		if e, ok := ev.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
