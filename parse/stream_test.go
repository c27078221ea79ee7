package parse_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/localagent/localagent/parse"
)

// A sample is one reply to be fed in pieces.
type sample struct {
	name    string
	text    string
	options parse.Options
	finish  parse.Finish
}

// samples are all goldens and cases, and the outputs of the corpora whose
// place is a multiple of every.
func samples(t testing.TB, every int) []sample {
	var all []sample
	for _, g := range goldens(t) {
		all = append(all, sample{"golden/" + g.name, g.input, g.options, g.finish})
	}
	for _, row := range readLabelled(t, "replies.jsonl") {
		all = append(all, sample{"case/" + row.ID, row.Text, row.options(), row.finish()})
	}
	for _, name := range corpora {
		for i, row := range readLabelled(t, name) {
			if i%every == 0 {
				all = append(all, sample{"corpus/" + row.ID, row.Text, row.options(), row.finish()})
			}
		}
	}
	return all
}

// feed reads a reply in pieces, to its end. Neighbouring events of text, of
// thinking and of one dropped thing are joined.
func feed(s *parse.Scanner, f parse.Finish, pieces ...string) (parse.Result, []parse.Event) {
	var events []parse.Event
	for _, piece := range pieces {
		for _, e := range s.Feed(piece) {
			events = join(events, e)
		}
	}
	r := s.Close(f)
	for _, e := range s.Rest() {
		events = join(events, e)
	}
	return r, events
}

func join(events []parse.Event, e parse.Event) []parse.Event {
	if n := len(events); n > 0 {
		last := &events[n-1]
		joins := e.Kind == parse.EventText || e.Kind == parse.EventThinking || e.Kind == parse.EventDrop
		if joins && last.Kind == e.Kind && last.Reason == e.Reason && last.Span.End == e.Span.Start {
			last.Span.End = e.Span.End
			last.Text += e.Text
			return events
		}
	}
	return append(events, e)
}

// TestSplits feeds every golden and case, and a part of the corpora, in two
// pieces at every place, rune by rune and byte by byte: the result and the
// events are those of the whole.
func TestSplits(t *testing.T) {
	known := openLedger(t, "splits")
	for _, x := range samples(t, 9) {
		known.check(t, x.name, try(x.splitFault))
	}
}

func (x sample) splitFault() string {
	const longest = 600 // longer replies are split at some places only
	s := parse.NewScanner(x.options)
	want, events := feed(s, x.finish, x.text)
	check := func(how string, pieces ...string) string {
		s.Reset()
		r, es := feed(s, x.finish, pieces...)
		if !reflect.DeepEqual(r, want) {
			return fmt.Sprintf("%s, %s: result\n  want %s\n  got  %s", short(x.text), how, summary(want), summary(r))
		}
		if !slices.EqualFunc(es, events, sameEvent) {
			return fmt.Sprintf("%s, %s: events\n  want %s\n  got  %s", short(x.text), how, eventsLine(events), eventsLine(es))
		}
		return ""
	}
	for i := 0; i <= len(x.text); i += 1 + len(x.text)/longest {
		if fault := check(fmt.Sprint("split at ", i), x.text[:i], x.text[i:]); fault != "" {
			return fault
		}
	}
	if fault := check("rune by rune", strings.Split(x.text, "")...); fault != "" {
		return fault
	}
	return check("byte by byte", bytePieces(x.text)...)
}

// TestParseIsFeedAndClose compares Parse with a scanner fed with all of it.
func TestParseIsFeedAndClose(t *testing.T) {
	known := openLedger(t, "parse")
	for _, x := range samples(t, 3) {
		known.check(t, x.name, try(func() string {
			fed, _ := feed(parse.NewScanner(x.options), x.finish, x.text)
			if got := parse.Parse(x.text, x.options, x.finish); !reflect.DeepEqual(got, fed) {
				return fmt.Sprintf("fed %s, parsed %s", summary(fed), summary(got))
			}
			return ""
		}))
	}
}

// TestReset reads every sample on one scanner, twice each: nothing of one
// reply is left in the next.
func TestReset(t *testing.T) {
	known := openLedger(t, "reset")
	for _, x := range samples(t, 9) {
		known.check(t, x.name, try(x.resetFault))
	}
}

func (x sample) resetFault() string {
	s := parse.NewScanner(x.options)
	first, events := feed(s, x.finish, x.text)
	s.Reset()
	feed(s, parse.FinishLength, x.text[:len(x.text)/2])
	s.Reset()
	second, again := feed(s, x.finish, x.text)
	if !reflect.DeepEqual(first, second) {
		return fmt.Sprintf("first %s, then %s", summary(first), summary(second))
	}
	if !slices.EqualFunc(events, again, sameEvent) {
		return fmt.Sprintf("first %s, then %s", eventsLine(events), eventsLine(again))
	}
	return ""
}

// TestFeedAfterClose feeds on behind the end: nothing is read before Reset.
func TestFeedAfterClose(t *testing.T) {
	s := parse.NewScanner(parse.Options{})
	s.Feed("Yes.")
	s.Close(parse.FinishStop)
	if events := s.Feed(" No."); events != nil {
		t.Errorf("events %v behind the end", events)
	}
	if r := s.Close(parse.FinishStop); r.Text != "Yes." {
		t.Errorf("text %q, want %q", r.Text, "Yes.")
	}
	s.Reset()
	s.Feed("No.")
	if r := s.Close(parse.FinishStop); r.Text != "No." {
		t.Errorf("text %q behind Reset, want %q", r.Text, "No.")
	}
}

// TestEvents checks the spans and texts of the events of every sample, fed byte
// by byte: adjacent, never ahead, cut between runes, and covering the reply.
func TestEvents(t *testing.T) {
	known := openLedger(t, "events")
	for _, x := range samples(t, 9) {
		known.check(t, x.name, try(x.eventFault))
	}
}

func (x sample) eventFault() string {
	s := parse.NewScanner(x.options)
	at := 0
	check := func(fed int, events []parse.Event) string {
		for _, e := range events {
			if fault := checkEvent(x.text, fed, at, e); fault != "" {
				return fault + "\n  text " + short(x.text)
			}
			if hasSpan(e) {
				at = e.Span.End
			}
		}
		return ""
	}
	for i, piece := range bytePieces(x.text) {
		if fault := check(i+1, s.Feed(piece)); fault != "" {
			return fault
		}
	}
	s.Close(x.finish)
	if fault := check(len(x.text), s.Rest()); fault != "" {
		return fault
	}
	if at != len(x.text) {
		return fmt.Sprintf("the events end at %d of %d\n  text %s", at, len(x.text), short(x.text))
	}
	return ""
}

// TestCallsStandAlone: the bytes of a call, read alone, are that call. What counts
// only inside a hard marker is read in one, and a call whose closers were
// written as a tag or token has lost its end.
func TestCallsStandAlone(t *testing.T) {
	known := openLedger(t, "alone")
	for _, x := range samples(t, 3) {
		known.check(t, x.name, try(func() string {
			r := parse.Parse(x.text, x.options, x.finish)
			for _, c := range slices.Concat(r.Calls, r.Void) {
				if fault := x.aloneFault(c); fault != "" {
					return fault
				}
			}
			return ""
		}))
	}
}

func (x sample) aloneFault(want parse.Call) string {
	if slices.ContainsFunc(want.Repairs, func(r parse.Repair) bool { return r.Code == parse.RepairMissingCloser }) {
		return ""
	}
	text := x.text[want.Span.Start:want.Span.End]
	for _, s := range []string{text, "<tool_call>" + text + "</tool_call>"} {
		r := parse.Parse(s, parse.Options{Tools: x.options.Tools}, parse.FinishStop)
		if len(r.Calls) == 1 && r.Calls[0].Name == want.Name && sameSpelling(r.Calls[0].Args, want.Args) {
			return ""
		}
	}
	return fmt.Sprintf("%q alone is not %s%s", text, want.Name, want.Args)
}

// checkEvent checks one event that came after fed bytes of text, when all
// before at was told.
func checkEvent(text string, fed, at int, e parse.Event) string {
	switch {
	case !hasSpan(e):
		return ""
	case e.Span.Start != at:
		return fmt.Sprintf("span %v does not begin at %d", e.Span, at)
	case e.Span.End <= e.Span.Start:
		return fmt.Sprintf("span %v is empty", e.Span)
	case e.Span.End > fed:
		return fmt.Sprintf("span %v is ahead of the %d bytes fed", e.Span, fed)
	}
	switch e.Kind {
	case parse.EventText, parse.EventThinking:
		if e.Text != text[e.Span.Start:e.Span.End] {
			return fmt.Sprintf("text %q is not that of span %v", e.Text, e.Span)
		}
		if !utf8.ValidString(e.Text) && utf8.ValidString(text) {
			return fmt.Sprintf("text %q is cut in a rune", e.Text)
		}
	case parse.EventCall:
		if e.Call == nil || e.Call.Span.Start < e.Span.Start || e.Call.Span.End > e.Span.End {
			return fmt.Sprintf("call is not within its span %v", e.Span)
		}
	case parse.EventDrop:
		if e.Reason == "" {
			return fmt.Sprintf("span %v is dropped without a reason", e.Span)
		}
	}
	return ""
}

func hasSpan(e parse.Event) bool {
	return e.Kind != parse.EventRetract && e.Kind != parse.EventStop
}

func sameEvent(a, b parse.Event) bool { return reflect.DeepEqual(a, b) }

func bytePieces(s string) []string {
	pieces := make([]string, len(s))
	for i := range pieces {
		pieces[i] = s[i : i+1]
	}
	return pieces
}

var eventNames = [...]string{
	parse.EventText:     "text",
	parse.EventThinking: "thinking",
	parse.EventCall:     "call",
	parse.EventDrop:     "drop",
	parse.EventRetract:  "retract",
	parse.EventStop:     "stop",
}

func eventsLine(events []parse.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, " %s[%d:%d]", eventNames[e.Kind], e.Span.Start, e.Span.End)
	}
	return strings.TrimSpace(b.String())
}

// TestRelease: what can no longer become a call is told at once, and what still
// can is held back.
func TestRelease(t *testing.T) {
	tests := []struct{ name, fed, told string }{
		{"prose", "Hello there, all is well", "Hello there, all is well"},
		{"prose with an end of line", "Hello.\nAll is well", "Hello.\nAll is well"},
		{"a sign", "if a < b", "if a < b"},
		{"half a tag", "see <tool_c", "see "},
		{"no tag", "see <toothbrush", "see <toothbrush"},
		{"half a token", "see <|im", "see "},
		{"half a bracket marker", "see [TOOL_", "see "},
		{"no bracket marker", "see [1] and", "see [1] and"},
		{"a set", "take {1, 2} and", "take {1, 2} and"},
		{"an open brace", "take {", "take "},
		{"an open object", `take {"tool":"calc","args":{"expr":"1`, "take "},
		{"data, closed", `take {"a":1} and`, `take {"a":1} and`},
		{"half a label", "Well.\nObserv", "Well.\n"},
		{"no label", "Well.\nObserving", "Well.\nObserving"},
		{"half a thought", "Well.\n<thi", "Well.\n"},
		{"half a rune", "Bod\xc3", "Bod"},
		{"a blocked fence", "So:\n```go\nx := f(1)\n```\nand", "So:\n```go\nx := f(1)\n```\nand"},
		{"an open fence that may hold a call", "So:\n```json\n{\"tool\":\"calc\"", "So:\n"},
		{"a long word", strings.Repeat("word ", 200), strings.Repeat("word ", 200)},
	}
	known := openLedger(t, "release")
	for _, test := range tests {
		told := ""
		for _, e := range parse.NewScanner(ruleTools).Feed(test.fed) {
			told += e.Text
		}
		fault := ""
		if strings.TrimRight(told, " ") != strings.TrimRight(test.told, " ") {
			fault = fmt.Sprintf("of %s told is %s", short(test.fed), short(told))
		}
		known.check(t, test.name, fault)
	}
}
