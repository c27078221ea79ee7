package loop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// One row for each reason to stop: how it is reached through the public API.
func TestStops(t *testing.T) {
	canceller := func(cancel context.CancelFunc) *tools.Tool {
		return &tools.Tool{Name: "cancel", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(ctx context.Context, c tools.Call) (any, error) { cancel(); <-ctx.Done(); return "half", nil }}
	}
	full := errors.New("disk full")
	tests := []struct {
		stop   Stop
		agent  Agent
		lines  []line
		next   func(*Request) line
		prompt string
		answer string // of the result
		is     error  // that the error is
		cancel bool   // give the run a tool that cancels it
		limit  time.Duration
	}{
		{stop: StopFinal, lines: []line{says("42")}, answer: "42"},
		{stop: StopLoopGuard, lines: []line{says("I look. " + use("echo", "text", "a")), calls(use("echo", "text", "a"))}, answer: "I look."},
		{stop: StopMaxSteps, agent: Agent{MaxSteps: 2}, lines: []line{calls(use("echo", "text", "a")), calls(use("echo", "text", "b"))}},
		{stop: StopUnparseable, lines: []line{says(`{"tool":"echo","args":7}`), says(`{"tool":"echo","args":7}`), says(`{"tool":"echo","args":7}`)}},
		{stop: StopEmpty, lines: []line{says(""), {thinking: "hm"}, says("<think>so")}},
		{stop: StopOutputCut, lines: []line{cuts(`{"tool":"echo`), cuts(`{"tool":"echo`), cuts(`{"tool":"echo`)}},
		{stop: StopOverflow, agent: Agent{Window: 1000}, prompt: strings.Repeat("word ", 2000)},
		{stop: StopUnfit, agent: Agent{Window: 2400, MaxSteps: -1}, next: work(30, strings.Repeat("I ramble on. ", 500))},
		{stop: StopDenied, agent: Agent{Permit: func(context.Context, PermitRequest) Permission { return Permission{Verdict: Rejected} }},
			lines: []line{calls(use("note", "text", "a"))}},
		{stop: StopAbortedModel, lines: []line{{text: "half an ans", hang: true}}, answer: "half an ans", is: context.Canceled, limit: -1},
		{stop: StopAbortedTools, lines: []line{calls(use("cancel"), use("echo", "text", "a"))}, is: context.Canceled, cancel: true},
		{stop: StopTimeout, lines: []line{{text: "half", hang: true}}, answer: "half", is: context.DeadlineExceeded, limit: time.Second},
		{stop: StopBudget, agent: Agent{MaxTokens: 1000}, lines: []line{{text: use("echo", "text", "a"), prompt: 900, output: 50}}},
		{stop: StopModelError, lines: []line{fails(full)}, is: full},
		{stop: StopHook, agent: Agent{Hooks: Hooks{StopAfterStep: func(context.Context, State) bool { return true }}},
			lines: []line{calls(use("echo", "text", "a"))}},
		{stop: StopSession, agent: Agent{Record: func(ev Event) error {
			if _, ok := ev.(Replied); ok {
				return full
			}
			return nil
		}}, lines: []line{says("42")}, answer: "42", is: full},
	}
	seen := map[Stop]bool{}
	said := map[string]Stop{}
	for _, tt := range tests {
		seen[tt.stop] = true
		t.Run(string(tt.stop), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				switch {
				case tt.limit < 0:
					time.AfterFunc(time.Second, cancel)
				case tt.limit > 0:
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				a := tt.agent
				a.Tools = toolbox()
				if tt.cancel {
					a.Tools.Add(canceller(cancel))
				}
				s := &script{lines: tt.lines, next: tt.next}
				a.Model = s
				tr := &Transcript{}
				if tt.prompt == "" {
					tt.prompt = "go"
				}
				res := a.Run(ctx, tr, Prompt{Text: tt.prompt})
				if res.Stop != tt.stop || res.Answer != tt.answer {
					t.Errorf("stop %q with answer %q (%v), want %q with %q", res.Stop, res.Answer, res.Err, tt.stop, tt.answer)
				}
				if (res.Err == nil) != (tt.stop == StopFinal) {
					t.Errorf("error %v", res.Err)
				}
				if tt.is != nil && !errors.Is(res.Err, tt.is) {
					t.Errorf("error %v is not %v", res.Err, tt.is)
				}
				if (res.Advice == "") != (tt.stop == StopFinal) {
					t.Errorf("advice %q", res.Advice)
				}
				if other, ok := said[res.Advice]; ok {
					t.Errorf("the same advice as for %s: %q", other, res.Advice)
				}
				said[res.Advice] = tt.stop
				checkRun(t, tr, s)
			})
		})
	}
	for stop := range advice {
		if !seen[stop] {
			t.Errorf("no row for %s", stop)
		}
	}
}

// A model error's own cure is better advice than the table's.
func TestCureIsTheAdvice(t *testing.T) {
	res, _, _ := runScript(t, &Agent{}, fails(&ModelError{Status: 404, Err: errors.New("no such model"), Cure: "Run ollama pull x."}))
	if res.Stop != StopModelError || res.Advice != "Run ollama pull x." || res.Err.Error() != "model: no such model (status 404)" {
		t.Errorf("%q, %q, %v", res.Stop, res.Advice, res.Err)
	}
}

func TestGiveUp(t *testing.T) {
	tests := []struct {
		reason parse.Reason
		finish parse.Finish
		want   Stop
	}{
		{parse.ReasonTruncated, parse.FinishLength, StopOutputCut},
		{parse.ReasonTruncated, parse.FinishStop, StopUnparseable},
		{parse.ReasonEmpty, parse.FinishStop, StopEmpty},
		{parse.ReasonUnfinishedThinking, parse.FinishLength, StopEmpty},
		{parse.ReasonMalformed, parse.FinishStop, StopUnparseable},
		{parse.ReasonRepetition, parse.FinishStop, StopUnparseable},
	}
	for _, tt := range tests {
		if got := giveUp(tt.reason, tt.finish); got != tt.want {
			t.Errorf("giveUp(%s, %d) = %s, want %s", tt.reason, tt.finish, got, tt.want)
		}
	}
}
