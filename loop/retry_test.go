package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/localagent/localagent/parse"
)

func TestModelRetries(t *testing.T) {
	err := errors.New("x")
	kind := func(k ErrorKind) line { return fails(&ModelError{Kind: k, Err: err}) }
	times := func(n int, l line) []line { return slices.Repeat([]line{l}, n) }
	tests := []struct {
		name     string
		lines    []line // then an answer
		stop     Stop
		retries  int
		min, max time.Duration
	}{
		{"unreachable twice", times(2, kind(Unreachable)), StopFinal, 2, time.Second, 3 * time.Second},
		{"unreachable", times(9, kind(Unreachable)), StopModelError, 2, time.Second, 3 * time.Second},
		{"busy for a while", times(7, kind(Busy)), StopFinal, 7, 10 * time.Second, time.Minute},
		{"busy", times(9, kind(Busy)), StopModelError, 7, 10 * time.Second, time.Minute},
		{"busy and says how long", []line{fails(&ModelError{Kind: Busy, Err: err, RetryAfter: 7 * time.Second})}, StopFinal, 1, 7 * time.Second, 7 * time.Second},
		{"busy and says too long", []line{fails(&ModelError{Kind: Busy, Err: err, RetryAfter: time.Hour})}, StopFinal, 1, time.Minute, time.Minute},
		{"broken once", times(1, kind(Broken)), StopFinal, 1, 100 * time.Millisecond, time.Second},
		{"broken", times(9, kind(Broken)), StopModelError, 2, 100 * time.Millisecond, 2 * time.Second},
		{"no terminal chunk", []line{{text: "half", open: true}}, StopFinal, 1, 100 * time.Millisecond, time.Second},
		{"unexpected EOF", []line{fails(fmt.Errorf("read: %w", io.ErrUnexpectedEOF))}, StopFinal, 1, 100 * time.Millisecond, time.Second},
		{"fatal", times(1, kind(Fatal)), StopModelError, 0, 0, 0},
		{"no kind", []line{fails(err)}, StopModelError, 0, 0, 0},
		{"first unreachable, then busy", []line{kind(Unreachable), kind(Busy)}, StopFinal, 2, 500 * time.Millisecond, 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{lines: append(tt.lines, says("ok"))}
				start := time.Now()
				evs := eventsOf(&Agent{Model: s}, nil, Prompt{Text: "go"})
				took := time.Since(start)
				res := eventsOfType[RunEnded](evs)[0].Result
				if res.Stop != tt.stop {
					t.Errorf("stop %q (%v), want %q", res.Stop, res.Err, tt.stop)
				}
				if got := len(eventsOfType[ModelRetry](evs)); got != tt.retries {
					t.Errorf("%d retries, want %d", got, tt.retries)
				}
				if took < tt.min || took > tt.max {
					t.Errorf("took %v, want %v to %v", took, tt.min, tt.max)
				}
			})
		})
	}
}

// What came before a failure is void: a complete call in it is not run, and its
// text is no answer.
func TestBrokenStreamRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, text := range []string{use("note", "text", "x"), "some text"} {
			broken := line{text: text, open: true}
			s := &script{lines: []line{broken, broken, broken}}
			tr := &Transcript{}
			res := (&Agent{Model: s, Tools: toolbox()}).Run(context.Background(), tr, Prompt{Text: "go"})
			if res.Stop != StopModelError || !errors.Is(res.Err, ErrNoTerminal) || len(statuses(tr)) != 0 || res.Answer != "" {
				t.Errorf("%q, %v, %v, answer %q", res.Stop, res.Err, statuses(tr), res.Answer)
			}
			if res.Raw != text {
				t.Errorf("raw %q", res.Raw)
			}
		}
	})
}

// A failure behind a tool is tried again without running the tool again.
func TestRetryRunsNoToolAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, s, tr := runScript(t, &Agent{Tools: toolbox()}, calls(use("note", "text", "x")),
			fails(&ModelError{Kind: Busy, Err: errors.New("busy")}), line{text: "half", open: true}, says("ok"))
		if res.Answer != "ok" || len(s.requests) != 4 || len(statuses(tr)) != 1 {
			t.Errorf("%q after %d requests, %d calls ran", res.Answer, len(s.requests), len(statuses(tr)))
		}
	})
}

// Waiting for the next try ends with the context.
func TestRetryCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		s := &script{lines: []line{fails(&ModelError{Kind: Busy, Err: errors.New("busy"), RetryAfter: time.Minute})}}
		start := time.Now()
		res := (&Agent{Model: s}).Run(ctx, nil, Prompt{Text: "go"})
		if res.Stop != StopTimeout || time.Since(start) != 200*time.Millisecond {
			t.Errorf("%q after %v", res.Stop, time.Since(start))
		}
	})
}

// A server that ends the stream because one token repeats is not broken; the
// reply is.
func TestRepeatedTokenWithoutEnd(t *testing.T) {
	_, s, _ := runScript(t, &Agent{},
		line{text: "so " + strings.Repeat("ha", 31), open: true}, says("ok"))
	if len(s.requests) != 2 || s.requests[1].Vary != 1 {
		t.Fatalf("%d requests", len(s.requests))
	}
	if !strings.Contains(lastUser(s.requests[1]), "repeated itself") {
		t.Errorf("the model is told %q", lastUser(s.requests[1]))
	}
}

// A reply that never ends is cut off by the loop, and not sent back.
func TestEndlessReplies(t *testing.T) {
	n := 0
	for name, l := range map[string]line{
		"one line":     {text: "the same line over and over\n", endless: true},
		"no pattern":   {text: "?", endless: true},
		"thinking":     {thinking: strings.Repeat("hm ", 100000)},
		"native calls": {calls: []parse.Call{{Name: "look", Args: []byte("{}")}}, endless: true},
		"nothing":      {endless: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{}
			s.next = func(req *Request) line {
				l := l
				if l.text == "?" {
					n++
					l.text = fmt.Sprintf("%d", n*7919) + strings.Repeat("x", n%97)
				}
				return l
			}
			res := (&Agent{Model: s}).Run(context.Background(), nil, Prompt{Text: "go"})
			if res.Stop != StopUnparseable && res.Stop != StopEmpty {
				t.Errorf("stop %q: %v", res.Stop, res.Err)
			}
			if len(s.requests) != 3 || len(res.Raw) > 200<<10 {
				t.Errorf("%d requests, %d bytes kept", len(s.requests), len(res.Raw))
			}
			for _, req := range s.requests {
				if n := guessMessages(req.Messages); n > 200 {
					t.Errorf("a request of %v tokens", n)
				}
			}
		})
	}
}

// The server's own numbers for a prompt that is too long lead to a shorter one.
func TestTooLong(t *testing.T) {
	refused := false
	s := &script{window: 8000} // which is more than the server proves to have
	s.next = func(req *Request) line {
		if isSummary(req) {
			return says("They looked at words.")
		}
		if n := int(guessMessages(req.Messages)); n > 900 {
			refused = true
			return fails(&ModelError{Kind: TooLong, Status: 400, Err: errors.New("too long"), Prompt: n, Window: 1300})
		}
		if refused {
			return says("done")
		}
		return says(use("echo", "text", strings.Repeat(fmt.Sprint("w", len(s.requests), " "), 60)))
	}
	evs := eventsOf(&Agent{Model: s, Tools: toolbox(), Window: 8000, MaxSteps: -1}, nil, Prompt{Text: "go"})
	res := eventsOfType[RunEnded](evs)[0].Result
	if res.Stop != StopFinal || res.State.Window != 1300 || !refused {
		t.Errorf("%q (%v), window %d", res.Stop, res.Err, res.State.Window)
	}
	if len(eventsOfType[Compacted](evs)) == 0 {
		t.Error("nothing was compacted")
	}

	always := &script{forever: true, lines: []line{fails(&ModelError{Kind: TooLong, Err: errors.New("too long")})}}
	res = (&Agent{Model: always}).Run(context.Background(), nil, Prompt{Text: "go"})
	if res.Stop != StopOverflow || len(always.requests) != maxOverflows {
		t.Errorf("%q after %d requests", res.Stop, len(always.requests))
	}
}

// A summary without end is no summary: the run goes on without, and stops when
// the next is none either.
func TestEndlessSummaries(t *testing.T) {
	for name, l := range map[string]line{
		"text":     {text: "on and on ", endless: true},
		"thinking": {thinking: strings.Repeat("hm ", 100000)},
		"nothing":  {endless: true},
	} {
		t.Run(name, func(t *testing.T) {
			long := work(30, "")
			s := &script{next: func(req *Request) line {
				if isSummary(req) {
					return l
				}
				return long(req)
			}}
			a := &Agent{Model: s, Tools: toolbox(), Window: 2400, MaxSteps: -1}
			if res := a.Run(context.Background(), nil, Prompt{Text: "go"}); res.Stop != StopUnfit {
				t.Errorf("%q: %v", res.Stop, res.Err)
			}
		})
	}
}
