package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// show is what a terminal shows of events on stdout.
func show(color bool, events ...loop.Event) string {
	var b bytes.Buffer
	s := newScreen(&b, vars())
	s.tty = true
	s.color = color
	out := newTextOutput(s, true)
	for _, ev := range events {
		out.event(ev)
	}
	return strings.NewReplacer(string(styleBold), "<b>", styleReset, "</>").Replace(b.String())
}

func TestTextOutput(t *testing.T) {
	text := func(s string) loop.Event { return loop.TextDelta{Text: s} }
	replied := func(o parse.Outcome, f parse.Finish) loop.Event {
		return loop.Replied{Reading: parse.Result{Outcome: o}, Finish: f}
	}
	end := func(answer string) loop.Event {
		return loop.RunEnded{Result: &loop.Result{Stop: loop.StopFinal, Answer: answer}}
	}
	called := loop.ToolEnded{Result: tools.Result{Status: tools.OK}}
	for _, c := range []struct {
		name   string
		color  bool
		events []loop.Event
		want   string
	}{
		{"as it comes", false, []loop.Event{text("It "), text("is "), text("42.\n"), replied(parse.Final, parse.FinishStop), end("It is 42.")}, "It is 42.\n"},
		{"Markdown", true, []loop.Event{text("It is **4"), text("2**."), replied(parse.Final, parse.FinishStop), end("It is **42**.")}, "It is <b>42</>.\n"},
		{"without colour it is left", false, []loop.Event{text("It is **42**."), replied(parse.Final, parse.FinishStop), end("It is **42**.")}, "It is **42**.\n"},
		{"prose, a call, the answer", false, []loop.Event{
			text("\n Let me see.\n\n"), replied(parse.Calls, parse.FinishStop), called,
			text("Done."), replied(parse.Final, parse.FinishStop), end("Done."),
		}, "Let me see.\nDone.\n"},
		{"the same words as before a call", false, []loop.Event{
			text("Done."), replied(parse.Calls, parse.FinishStop), called, replied(parse.Final, parse.FinishStop), end("Done."),
		}, "Done.\nDone.\n"},
		{"an answer that was no text", false, []loop.Event{replied(parse.Final, parse.FinishStop), end("From a pseudo tool.")}, "From a pseudo tool.\n"},
		{"a cut answer goes on", false, []loop.Event{
			text("One two thr"), replied(parse.Final, parse.FinishLength), text("ee four."), replied(parse.Final, parse.FinishStop), end("One two three four."),
		}, "One two three four.\n"},
		{"what was void stays apart", false, []loop.Event{
			text("Half an ans"), loop.ModelRetry{}, text("The answer."), replied(parse.Final, parse.FinishStop), end("The answer."),
		}, "Half an ans\nThe answer.\n"},
		{"no answer", false, []loop.Event{text("Half"), loop.RunEnded{Result: &loop.Result{Stop: loop.StopTimeout}}}, "Half\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(c.color, c.events...); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A note never stands behind half a line of the answer.
func TestNotesBeside(t *testing.T) {
	var b bytes.Buffer
	out, err := newScreen(&b, vars()), newScreen(&b, vars())
	err.beside = out
	out.put("half a li")
	err.note(styleDim, "careful")
	out.put("ne\n")
	err.note(styleDim, "done")
	if got, want := b.String(), "half a li\nlocalagent: careful\nne\nlocalagent: done\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
