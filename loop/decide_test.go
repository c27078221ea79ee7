package loop

import (
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
)

// What follows from a reply: the table of the package documentation.
func TestDecide(t *testing.T) {
	all := facts{retriesLeft: true, stepsLeft: true, mayGoOn: true, fits: true}
	with := func(change func(*facts)) facts {
		f := all
		change(&f)
		return f
	}
	calls := parse.Result{Outcome: parse.Calls, Calls: []parse.Call{{Name: "f"}}}
	text := parse.Result{Outcome: parse.Final, Text: "It is 42."}
	plan := parse.Result{Outcome: parse.Final, Text: "I will read the file now:"}
	bad := parse.Result{Problem: &parse.Problem{Reason: parse.ReasonMalformed}}
	stop, length, unknown := parse.FinishStop, parse.FinishLength, parse.FinishUnknown
	tests := []struct {
		name   string
		r      parse.Result
		finish parse.Finish
		facts  facts
		want   move
	}{
		{"calls", calls, stop, all, moveAct},
		{"calls, whatever the finish", calls, unknown, all, moveAct},
		{"calls although cut", calls, length, all, moveAct},
		{"calls without a step left", calls, stop, with(func(f *facts) { f.stepsLeft = false }), moveAct},
		{"unknown calls again", calls, stop, with(func(f *facts) { f.unknown = true }), moveUnknown},
		{"text", text, stop, all, moveAnswer},
		{"text of unknown end", text, unknown, all, moveAnswer},
		{"cut text", text, length, all, moveGoOn},
		{"cut text once too often", text, length, with(func(f *facts) { f.mayGoOn = false }), moveAnswer},
		{"cut text without a step left", text, length, with(func(f *facts) { f.stepsLeft = false }), moveAnswer},
		{"an announcement", plan, stop, all, moveNudge},
		{"an announcement again", plan, stop, with(func(f *facts) { f.nudged = true }), moveAnswer},
		{"an announcement at the last step", plan, stop, with(func(f *facts) { f.stepsLeft = false }), moveAnswer},
		{"an announcement that is the rest of an answer", plan, stop, with(func(f *facts) { f.goneOn = 1 }), moveAnswer},
		{"text that does not fit", text, stop, with(func(f *facts) { f.fits = false }), moveSchema},
		{"text that does not fit at the last step", text, stop, with(func(f *facts) { f.fits, f.stepsLeft = false, false }), moveGiveUp},
		{"unusable", bad, stop, all, moveRetry},
		{"unusable at the last step", bad, stop, with(func(f *facts) { f.stepsLeft = false }), moveRetry},
		{"unusable at last", bad, stop, with(func(f *facts) { f.retriesLeft = false }), moveGiveUp},
		{"unusable rest of an answer", bad, stop, with(func(f *facts) { f.retriesLeft, f.goneOn = false, 1 }), moveNoRest},
	}
	for _, tt := range tests {
		if got := decide(&tt.r, tt.finish, tt.facts); got != tt.want {
			t.Errorf("%s: move %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestJoinPieces(t *testing.T) {
	tests := []struct {
		pieces []string
		want   string
	}{
		{nil, ""},
		{[]string{"one"}, "one"},
		{[]string{"one ", "two"}, "one two"},
		{[]string{"inter", "national"}, "international"},
		{[]string{"the sky is blue and", "the sky is blue and the sea too"}, "the sky is blue and the sea too"},
		{[]string{"ha ha", "ha ha"}, "ha haha ha"}, // too short to be more than chance
		{[]string{strings.Repeat("x", 2000), strings.Repeat("x", 600)}, strings.Repeat("x", 2000+600-512)},
	}
	for _, tt := range tests {
		if got := joinPieces(tt.pieces); got != tt.want {
			t.Errorf("joinPieces(%.60q) = %.60q", tt.pieces, got)
		}
	}
}
