package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// Scenarios from what users of such programs reported, each against a scripted
// model: what is right there is what this package is for. Cancelling in the
// middle of a tool is in TestAbort, replies without end in TestEndlessReplies,
// honest polling and cycles in TestGuardStops.
func TestScenarios(t *testing.T) {
	type outcome struct {
		res *Result
		s   *script
		tr  *Transcript
		ran []string // the calls whose tool ran
	}
	oneRequest := func(t *testing.T, o outcome) {
		if o.res.Stop != StopFinal || len(o.s.requests) != 1 {
			t.Errorf("%q after %d requests", o.res.Stop, len(o.s.requests))
		}
	}
	repeat := func(n int, l line) []line { return slices.Repeat([]line{l}, n) }
	var wild []line
	for i := range 30 {
		wild = append(wild, calls(use("echo", "text", fmt.Sprint("step ", i))))
	}
	tests := []struct {
		name  string
		agent Agent
		lines []line
		check func(t *testing.T, o outcome)
	}{
		{"the same call for ever", Agent{MaxSteps: 50, Guard: Guard{Strikes: 1}}, repeat(50, calls(use("echo", "text", "a"))),
			func(t *testing.T, o outcome) {
				if o.res.Stop != StopLoopGuard || len(o.ran) != 1 || len(o.s.requests) > 4 {
					t.Errorf("%q, ran %d times in %d requests", o.res.Stop, len(o.ran), len(o.s.requests))
				}
				if !strings.Contains(o.res.Err.Error(), "echo") {
					t.Errorf("the tool is not named: %v", o.res.Err)
				}
			}},
		{"a malformed call over and over", Agent{}, repeat(9, says(`<tool_call>{"name": "note", "arguments": {"text": "x`)),
			func(t *testing.T, o outcome) {
				if o.res.Stop != StopUnparseable || len(o.ran) != 0 || len(o.s.requests) != 3 {
					t.Errorf("%q, ran %v in %d requests", o.res.Stop, o.ran, len(o.s.requests))
				}
				for _, req := range o.s.requests[1:] {
					if told := lastUser(req); !strings.Contains(told, "cut off before its end (at byte ") {
						t.Errorf("the model is told %q", told)
					}
				}
			}},
		{"an unknown tool, then the right one", Agent{}, []line{calls(use("say", "text", "a")), calls(use("echo", "text", "a")), says("done")},
			func(t *testing.T, o outcome) {
				if told := lastUser(o.s.requests[1]); !strings.Contains(told, "echo") || !strings.Contains(told, "note") {
					t.Errorf("the model is not told what exists: %q", told)
				}
				if o.res.Stop != StopFinal || len(o.ran) != 1 {
					t.Errorf("%q, ran %v", o.res.Stop, o.ran)
				}
			}},
		{"two argument objects glued together", Agent{}, repeat(9, says(`{"tool":"note","args":"{\"text\":\"a\"}{\"text\":\"b\"}"}`)),
			func(t *testing.T, o outcome) {
				if len(o.ran) == 1 {
					t.Errorf("one of the two ran: %v", o.ran)
				}
			}},
		{"nothing but a thought, in a field of its own", Agent{}, repeat(9, line{thinking: "SECRET", finish: parse.FinishStop}),
			func(t *testing.T, o outcome) {
				if o.res.Stop != StopEmpty || o.res.Answer != "" || len(o.s.requests) != 3 {
					t.Errorf("%q with %q after %d requests", o.res.Stop, o.res.Answer, len(o.s.requests))
				}
				if !strings.Contains(o.res.Err.Error(), "no answer came after the model's reasoning") {
					t.Errorf("%v", o.res.Err)
				}
			}},
		{"nothing but a thought, never closed", Agent{}, repeat(9, says("<think>SECRET")),
			func(t *testing.T, o outcome) {
				if o.res.Stop != StopEmpty || strings.Contains(o.res.Answer, "SECRET") || !o.s.requests[1].NoThink {
					t.Errorf("%q with %q", o.res.Stop, o.res.Answer)
				}
			}},
		{"a new call at every step", Agent{MaxSteps: 5}, wild,
			func(t *testing.T, o outcome) {
				if o.res.Stop != StopMaxSteps || len(o.ran) != 5 || !strings.Contains(o.res.Err.Error(), "5 steps") {
					t.Errorf("%q: %v, ran %d times", o.res.Stop, o.res.Err, len(o.ran))
				}
				if told := lastUser(o.s.requests[4]); !strings.Contains(told, "1 step left") {
					t.Errorf("the model is not warned: %q", told)
				}
			}},
		{"a cut-off write that claims to be complete", Agent{}, append(repeat(3, says(`{"tool":"note","args":{"text":"half of`)), says("sorry")),
			func(t *testing.T, o outcome) {
				if len(o.ran) != 0 {
					t.Errorf("ran %v", o.ran)
				}
			}},
		{"a claim beside a call that fails", Agent{}, []line{says(use("fail") + "\nThe file has been written."), says("It failed: the disk is full.")},
			func(t *testing.T, o outcome) {
				if o.res.Answer != "It failed: the disk is full." {
					t.Errorf("answer %q", o.res.Answer)
				}
				if !strings.Contains(lastUser(o.s.requests[1]), "the disk is full") {
					t.Error("the failure did not go back to the model")
				}
			}},
		{"a question back", Agent{}, []line{says("Which file do you mean?")}, oneRequest},
		{"an explanation", Agent{}, []line{says("I would first list the files and then search each one for the word.")}, oneRequest},
		{"an offer", Agent{}, []line{says("Done. Let me know if I should also sort them!")}, oneRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var o outcome
			a := tt.agent
			a.Tools = toolbox()
			a.Hooks.AfterTool = func(_ context.Context, c Call, r *tools.Result) error {
				if !slices.Contains([]tools.Status{tools.UnknownTool, tools.InvalidArgs, tools.Repeated, tools.Skipped}, r.Status) {
					o.ran = append(o.ran, c.Name)
				}
				return nil
			}
			o.res, o.s, o.tr = runScript(t, &a, tt.lines...)
			tt.check(t, o)
		})
	}
}

func TestReminder(t *testing.T) {
	sample := `{"tool":"echo","args":{"text":"hi"}}`
	tests := []struct {
		p      parse.Problem
		finish parse.Finish
		want   string
	}{
		{parse.Problem{Reason: parse.ReasonTruncated, Offset: 57, Expected: "a closing quote", Found: "QUOTED"}, parse.FinishStop,
			"the tool call was cut off before its end (at byte 57, where a closing quote was expected). Write a call exactly like " + sample + " or answer in plain text."},
		{parse.Problem{Reason: parse.ReasonTruncated, Offset: 57, Found: "QUOTED"}, parse.FinishLength,
			"the tool call was cut off at the output limit (at byte 57); make it shorter, and split long content over several calls. Write a call exactly like " + sample + " or answer in plain text."},
		{parse.Problem{Reason: parse.ReasonMalformed, Offset: 3, Found: "QUOTED"}, parse.FinishStop,
			"the tool call is not valid JSON (at byte 3). Write a call exactly like " + sample + " or answer in plain text."},
		{parse.Problem{Reason: parse.ReasonEmpty}, parse.FinishStop, "it was empty. Write the next tool call, or the answer in plain text."},
		{parse.Problem{Reason: parse.ReasonMalformed, Expected: answerThatFits}, parse.FinishStop,
			"it is not JSON that fits the schema of the answer. Write that JSON and nothing else."},
	}
	for _, tt := range tests {
		if got, want := reminder(tt.p, tt.finish, sample), "Your last reply could not be used: "+tt.want; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, reason := range []parse.Reason{
		parse.ReasonEmpty, parse.ReasonUnfinishedThinking, parse.ReasonTruncated, parse.ReasonMalformed, parse.ReasonBadArgs, parse.ReasonDuplicateKey,
		parse.ReasonAmbiguous, parse.ReasonSchemaEcho, parse.ReasonReactConflict, parse.ReasonRepetition, parse.ReasonTooDeep, parse.ReasonTooLarge,
	} {
		line := reminder(parse.Problem{Reason: reason, Found: "QUOTED"}, parse.FinishStop, "a\nb")
		if strings.Contains(line, "QUOTED") || strings.Contains(line, "\n") || len(line) > 300 {
			t.Errorf("%s: %q is not one short line that quotes nothing", reason, line)
		}
	}
}
