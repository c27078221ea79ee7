package parse_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
)

// withSmallStack runs f where a recursion on the depth of the input would end
// the process.
func withSmallStack(f func()) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// allocated is how many bytes f allocates: a bound of what it holds at once.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostile reads texts that tempt a parser into recursion or into reading
// again: whole and in pieces the same, no call, little memory.
func TestHostile(t *testing.T) {
	const size = 256 << 10
	known := openLedger(t, "hostile")
	for _, name := range inputs.Hostile {
		text := inputs.Make(name, size)
		var whole, streamed parse.Result
		var used uint64
		withSmallStack(func() {
			s := parse.NewScanner(benchTools())
			used = allocated(func() {
				s.Feed(text)
				whole = s.Close(parse.FinishStop)
			})
			streamed = stream(s, text, 1<<10)
		})
		fault := ""
		switch {
		case whole.Outcome == parse.Calls:
			fault = "a call: " + summary(whole)
		case summary(whole) != summary(streamed):
			fault = fmt.Sprintf("whole %s, streamed %s", summary(whole), summary(streamed))
		case used > 4*size+1<<20:
			fault = fmt.Sprintf("%d bytes allocated for %d", used, size)
		}
		known.check(t, name, fault)
	}
}

// TestBig holds the sizes that honest replies may have, and the first ones that
// are too much.
func TestBig(t *testing.T) {
	call := func(args string) string { return `{"tool":"echo","args":` + args + `}` }
	nested := func(open, end string, n int) string {
		return strings.Repeat(open, n) + "1" + strings.Repeat(end, n)
	}
	lists := strings.Repeat("[],", 8)
	var keys, many, full, expressions strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, `"k%d":%d,`, i, i)
		fmt.Fprintf(&many, `{"tool":"echo","args":{"n":%d}}`+"\n", i)
	}
	for i := range 200 {
		full.WriteString(call(fmt.Sprintf(`{"a":[%s%d]}`, lists, i)) + ",")
		fmt.Fprintf(&expressions, "echo(a=[%s%d]),", lists, i)
	}
	tests := []struct {
		name, text string
		want       parse.Outcome
		reason     parse.Reason
		calls      int
	}{
		{"a megabyte in one argument", call(`{"a":"` + strings.Repeat("x\\n", 350_000) + `"}`), parse.Calls, "", 1},
		{"twenty thousand keys", call(`{` + keys.String() + `"z":0}`), parse.Calls, "", 1},
		{"twenty thousand keys, one twice", call(`{` + keys.String() + `"k7":0}`), parse.Unparseable, parse.ReasonDuplicateKey, 0},
		{"twenty thousand calls", many.String(), parse.Calls, "", 20_000},
		{"two hundred calls with many lists", "[" + full.String() + "]", parse.Calls, "", 200},
		{"two hundred expressions with many lists", "[" + expressions.String() + "]", parse.Calls, "", 200},
		{"thirty deep", call(`{"a":` + nested("[", "]", 30) + `}`), parse.Calls, "", 1},
		{"lists too deep", call(`{"a":` + nested("[", "]", 100_000) + `}`), parse.Unparseable, parse.ReasonTooDeep, 0},
		{"objects too deep", call(nested(`{"a":`, "}", 100_000)), parse.Unparseable, parse.ReasonTooDeep, 0},
		{"a megabyte of prose, then a call", inputs.Make("prose", 1<<20) + call(`{}`), parse.Calls, "", 1},
		{"a megabyte of code, then a call", inputs.Make("answer", 1<<20) + "\n" + call(`{}`), parse.Calls, "", 1},
		{"a megabyte of thought, then a call", "<think>" + inputs.Make("answer", 1<<20) + "</think>" + call(`{}`), parse.Calls, "", 1},
		{"the same line for ever", strings.Repeat("I will read the file now.\n", 1000), parse.Unparseable, parse.ReasonRepetition, 0},
		{"a call, then the same line for ever", call(`{}`) + "\n" + strings.Repeat("I will read the file now.\n", 1000), parse.Calls, "", 1},
		{"the same line within an argument", call(`{"a":"` + strings.Repeat(`-----\n`, 2000) + `"}`), parse.Calls, "", 1},
	}
	known := openLedger(t, "big")
	o := parse.Options{Tools: []parse.Tool{{Name: "echo"}}}
	for _, test := range tests {
		var r parse.Result
		withSmallStack(func() { r = parse.Parse(test.text, o, parse.FinishStop) })
		fault := ""
		switch {
		case r.Outcome != test.want, len(r.Calls) != test.calls:
			fault = fmt.Sprintf("want %d calls, got %.300s", test.calls, summary(r))
		case test.reason != "" && r.Problem.Reason != test.reason:
			fault = "reason is " + string(r.Problem.Reason)
		case overlap(r.Calls):
			fault = "the spans of the calls overlap"
		}
		known.check(t, test.name, fault)
	}
}

func overlap(calls []parse.Call) bool {
	at := 0
	for _, c := range calls {
		if c.Span.Start < at {
			return true
		}
		at = c.Span.End
	}
	return false
}

// TestManyBigCalls: what the calls of a reply keep is linear in it, however many
// of them are big.
func TestManyBigCalls(t *testing.T) {
	text := strings.Repeat(`{"tool":"calc","args":{"expr":"`+strings.Repeat("x", 40<<10)+"\"}}\n", 8)
	text = strings.Repeat(text+`{"tool":"echo","args":{}}`, 8)
	var r parse.Result
	used := allocated(func() { r = parse.Parse(text, ruleTools, parse.FinishStop) })
	if len(r.Calls) != 8*9 {
		t.Fatalf("%d calls, want %d", len(r.Calls), 8*9)
	}
	if used > 4*uint64(len(text))+1<<20 {
		t.Errorf("%d bytes allocated for %d", used, len(text))
	}
}

// TestTooLarge: a reply that is larger than any that is read ends where that
// shows, with events that cover what was fed before.
func TestTooLarge(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("no room for the reply")
	}
	huge := make([]byte, 1<<30) // never touched, so it takes no memory
	rest := unsafe.String(&huge[0], len(huge))
	for _, text := range []string{"Well", aCall, "calc(expr=\"1\") ", "[calc(expr=\"1\")]", "a <think> b", "<think>so", "<tool_call>", "```json\n" + aCall, "Well.\n{\"a\":1"} {
		s := parse.NewScanner(ruleTools)
		events := slices.Clone(s.Feed(text)) // valid until the next call only
		events = append(events, s.Feed(rest)...)
		r := s.Close(parse.FinishStop)
		if r.Problem == nil || r.Problem.Reason != parse.ReasonTooLarge {
			t.Errorf("%q and more: %s", text, summary(r))
		}
		at := 0
		for _, e := range append(events, s.Rest()...) {
			if fault := checkEvent(text, len(text), at, e); fault != "" {
				t.Errorf("%q and more: %s", text, fault)
			}
			at = max(at, e.Span.End)
		}
		if at != len(text) {
			t.Errorf("%q and more: the events end at %d", text, at)
		}
	}
}
