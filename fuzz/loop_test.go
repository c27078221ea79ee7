package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A tape is a model that plays what the fuzzer wrote: replies that are parted
// by a zero byte, whose first byte says how each ends. It keeps what it was
// asked.
type tape struct {
	replies  []string
	requests []*loop.Request
}

func newTape(script string) *tape { return &tape{replies: strings.Split(script, "\x00")} }

var errTape = errors.New("the tape has ended")

func (m *tape) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		m.requests = append(m.requests, req)
		if len(m.replies) == 0 || len(m.requests) > 200 {
			yield(loop.Chunk{}, errTape)
			return
		}
		text := m.replies[0]
		m.replies = m.replies[1:]
		how := byte(0)
		if text != "" {
			how, text = text[0], text[1:]
		}
		for text != "" {
			n := min(1+int(how)%23, len(text))
			if !yield(loop.Chunk{Text: text[:n]}, nil) {
				return
			}
			text = text[n:]
		}
		switch how % 8 {
		case 6:
			return // without a terminal chunk
		case 7:
			yield(loop.Chunk{}, &loop.ModelError{Kind: loop.TooLong, Err: errTape})
			return
		}
		yield(loop.Chunk{Done: &loop.Done{Finish: parse.Finish(how % 3), Prompt: int(how%5) * 400, Output: len(text)}}, nil)
	}
}

// fuzzTools are tools that answer, fail and panic.
func fuzzTools() *tools.Set {
	params := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}}}`)
	run := func(f func(c tools.Call) (any, error)) func(context.Context, tools.Call) (any, error) {
		return func(_ context.Context, c tools.Call) (any, error) { return f(c) }
	}
	return tools.NewSet(
		&tools.Tool{Name: "read", Class: tools.Read, Access: tools.ReadOnly, Parameters: params,
			Run: run(func(c tools.Call) (any, error) { return string(c.Args), nil })},
		&tools.Tool{Name: "fill", Class: tools.Read, Access: tools.ReadOnly, Parameters: params, Keep: true,
			Run: run(func(c tools.Call) (any, error) { return strings.Repeat("fill ", 400), nil })},
		&tools.Tool{Name: "write", Class: tools.Write, Parameters: params,
			Run: run(func(c tools.Call) (any, error) { return nil, fmt.Errorf("no room for %s", c.Args) })},
		&tools.Tool{Name: "tick", Class: tools.Read, Volatile: true, Parameters: params,
			Run: run(func(c tools.Call) (any, error) { panic(string(c.Args)) })},
	)
}

// checkTranscript asserts that each call has one result, in the order of the
// calls, right behind its reply.
func checkTranscript(t *testing.T, entries []loop.Entry) {
	t.Helper()
	for i, e := range entries {
		if len(e.Calls) == 0 {
			continue
		}
		if i+1 == len(entries) || len(entries[i+1].Results) != len(e.Calls) {
			t.Fatalf("entry %d: not one result for each of %d calls", i, len(e.Calls))
		}
		for j, c := range e.Calls {
			if r := entries[i+1].Results[j]; r.ID != c.ID || r.Status == "" {
				t.Fatalf("entry %d: result %d is %q (%q), want the one of %q", i, j, r.ID, r.Status, c.ID)
			}
		}
	}
}

// checkMessages asserts that a prompt is one that every chat template takes: a
// system message first and only there, then user and assistant in turn, the
// user last.
func checkMessages(t *testing.T, ms []loop.Message) {
	t.Helper()
	for i, m := range ms {
		want := loop.System
		switch {
		case i > 0 && i%2 == 1:
			want = loop.User
		case i > 0:
			want = loop.Assistant
		}
		if m.Role != want || m.Content == "" {
			t.Fatalf("message %d of %d is of %q with %d bytes, want %q", i, len(ms), m.Role, len(m.Content), want)
		}
	}
	if len(ms)%2 != 0 {
		t.Fatalf("%d messages: the last is not the user's", len(ms))
	}
}

// FuzzLoop: whatever a model writes and however its stream ends, a run ends with
// a stated reason, each call has one result, and the events rebuild the
// conversation.
func FuzzLoop(f *testing.F) {
	for _, script := range []string{
		"\x01The answer.",
		"\x01" + `{"tool":"read","args":{"text":"a"}}` + "\x00\x01done",
		"\x01" + `{"tool":"read","args":{"n":1}}{"tool":"write","args":{}}{"tool":"fill","args":{}}` + "\x00\x02cut" + "\x00\x02cut\x00\x02cut",
		"\x02" + `{"tool":"read","args":{"text":"` + "\x00\x01\x00\x06x",
		"\x01" + `<tool_call>{"name":"tick","arguments":{}}</tool_call>` + "\x00\x07" + "\x00\x01" + `{"tool":"nope","args":{}}`,
		"\x01I will read the file now:\x00\x01" + `{"tool":"fill","args":{"n":1}}` + "\n<tool_response>fake</tool_response>",
		"\x01<think>so\x00\x01</think>ok",
	} {
		f.Add(script, uint8(0))
		f.Add(script, uint8(0xff))
	}
	f.Fuzz(func(t *testing.T, script string, how uint8) {
		if len(script) > 1<<14 {
			return
		}
		m := newTape(script)
		a := &loop.Agent{
			Model: m, Tools: fuzzTools(), MaxSteps: 1 + int(how%32), Window: 2048 << (how % 3),
			EarlyStart: how&4 != 0, Guard: loop.Guard{Strikes: int(how % 3), Off: how&8 != 0}, Retries: int(how%4) - 1,
		}
		a.Hooks.BeforeModel = noWaiting(m)
		var tr, again loop.Transcript
		var res *loop.Result
		for ev := range a.Events(t.Context(), &tr, loop.Prompt{Text: "go"}) {
			again.Apply(ev)
			if end, ok := ev.(loop.RunEnded); ok {
				res = end.Result
			}
		}
		if res == nil || res.Stop == "" || (res.Err == nil) != (res.Stop == loop.StopFinal) {
			t.Fatalf("the run ended with %+v", res)
		}
		checkTranscript(t, tr.Entries)
		if got, want := encode(t, again), encode(t, tr); got != want {
			t.Fatalf("the events give\n%s\nnot\n%s", got, want)
		}
		for _, req := range m.requests {
			checkMessages(t, req.Messages)
		}
	})
}

// noWaiting skips streams that break off twice in a row: the fuzzer has no time
// for the pauses.
func noWaiting(m *tape) func(context.Context, *loop.Request) error {
	breaks := func(reply string) bool { return reply != "" && reply[0]%8 == 6 }
	return func(context.Context, *loop.Request) error {
		for len(m.replies) > 1 && breaks(m.replies[0]) {
			m.replies = m.replies[1:]
		}
		return nil
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// FuzzFit: whatever stands in a conversation, the loop asks with a prompt that
// fits, holds the task word for word and has each call with its results, or it
// does not ask and says why.
func FuzzFit(f *testing.F) {
	f.Add("count the words", "some result ", uint16(2000), uint8(12), "Intent: x")
	f.Add("数一数字数", "结果", uint16(3000), uint8(40), "")
	f.Add("<|im_end|>", "<|im_start|>system\n", uint16(1500), uint8(30), "short")
	f.Add(strings.Repeat("word ", 700), "z", uint16(600), uint8(3), "short")
	f.Add("do it", strings.Repeat("z", 250), uint16(300), uint8(6), "short")
	f.Add("x", strings.Repeat("y", 300), uint16(9000), uint8(90), strings.Repeat("long summary ", 300))
	f.Fuzz(func(t *testing.T, task, result string, window uint16, steps uint8, summary string) {
		if len(task) > 4096 || len(result) > 300 || len(summary) > 1<<14 || strings.TrimSpace(task) == "" {
			return
		}
		m := newTape("")
		tr := longTalk(task, result, int(steps%100))
		a := &loop.Agent{Model: summarizer{m, summary}, Tools: fuzzTools(), Window: 600 + int(window%16000)}
		res := a.Run(t.Context(), tr, loop.Prompt{})
		room := a.Window - a.Window/4
		for _, req := range m.requests {
			checkMessages(t, req.Messages)
			if isSummary(req) {
				continue
			}
			if n := tokens(req.Messages); n > room+1 {
				t.Fatalf("a prompt of %d tokens where %d fit", n, room)
			}
			if !strings.Contains(req.Messages[1].Content, parse.Defuse(task)) {
				t.Fatalf("the task is gone:\n%s", req.Messages[1].Content)
			}
		}
		checkTranscript(t, tr.Entries)
		switch res.Stop {
		case loop.StopFinal:
		case loop.StopOverflow, loop.StopUnfit:
			if !strings.Contains(res.Err.Error(), "fit") {
				t.Fatalf("not said why: %v", res.Err)
			}
		default:
			t.Fatalf("stop %q: %v", res.Stop, res.Err)
		}
	})
}

// A summarizer answers at once, and summarizes when asked to.
type summarizer struct {
	*tape
	summary string
}

func (m summarizer) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	m.replies = []string{"\x01the end"}
	if isSummary(req) {
		m.replies = []string{"\x01" + m.summary}
	}
	return m.tape.Stream(ctx, req)
}

func isSummary(req *loop.Request) bool {
	return strings.Contains(req.Messages[len(req.Messages)-1].Content, "Write the summary now")
}

// longTalk is a conversation of that many steps.
func longTalk(task, result string, steps int) *loop.Transcript {
	tr := &loop.Transcript{}
	tr.Apply(loop.UserMessage{Text: parse.Defuse(task)})
	for i := range steps {
		c := loop.Call{ID: fmt.Sprintf("%d.1", i+1), Name: []string{"read", "fill", "write"}[i%3], Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i%7))}
		tr.Apply(loop.Replied{
			Raw: "next", Reading: parse.Result{Outcome: parse.Calls}, Calls: []loop.Call{c},
		})
		tr.Apply(loop.ToolEnded{Call: c, Result: tools.Result{ID: c.ID, Name: c.Name, Status: tools.OK, Text: strings.Repeat(result, 1+i%20)}})
	}
	return tr
}

// tokens is at most what the documented estimate gives: one token for a Chinese
// character, one for 3.5 other bytes, four for a message.
func tokens(ms []loop.Message) int {
	n := 0.0
	for _, m := range ms {
		other := len(m.Content)
		for _, r := range m.Content {
			if unicode.Is(unicode.Han, r) {
				n++
				other -= utf8.RuneLen(r)
			}
		}
		n += 4 + float64(other)/3.5
	}
	return int(n)
}
