package parse_test

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
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

// TestTempting reads further such texts, whole and in pieces, and at two sizes:
// what is allocated is linear in the text.
func TestTempting(t *testing.T) {
	const size = 64 << 10
	for name := range inputs.Tempting {
		s := parse.NewScanner(benchTools())
		read := func(n int) (r parse.Result, used uint64) {
			text := inputs.Make(name, n)
			s.Reset()
			used = allocated(func() {
				s.Feed(text)
				r = s.Close(parse.FinishStop)
			})
			if streamed := stream(s, text, 4); summary(r) != summary(streamed) {
				t.Errorf("%s: whole %.300s, streamed %.300s", name, summary(r), summary(streamed))
			}
			return r, used
		}
		_, small := read(size)
		_, big := read(4 * size)
		if big > 6*small+1<<20 {
			t.Errorf("%s: %d bytes allocated for %d, %d for four times as many", name, small, size, big)
		}
	}
}

// TestLong cuts replies that are longer than any window or limit that the scanner
// looks at, in small and in odd pieces.
func TestLong(t *testing.T) {
	indent := inputs.Make("indented_colon", 600)[:300]
	word := inputs.Make("prose", 12<<10)
	same := strings.Repeat("-", 20_000)
	echo := `<tool_call>{"name":"echo","arguments":{}}</tool_call>`
	tests := []struct {
		name, text string
		outcome    parse.Outcome
		calls      int
	}{
		{"a long expression behind an action", "Action: calc(expr=\"" + strings.Repeat("12+", 200) + "1\")\n", parse.Calls, 1},
		{"a long expression behind an action, prose", "Action: calc(expr=\"" + strings.Repeat("12+", 200) + "1\")\nso", parse.Calls, 1},
		{"a label far from the margin", "Hello\n" + indent + "Final Answer: x", parse.Final, 0},
		{"a result far from the margin", "Hello\n" + indent + "Observation: x", parse.Final, 0},
		{"a line far from the margin in an input", "Action: calc\nAction Input: 1\n" + strings.Repeat(indent, 4) + "Observation: x\nso", parse.Calls, 1},
		{"the same line in a block of code", "```py\n" + strings.Repeat("x = 1\n", 2000), parse.Unparseable, 0},
		{"one endless line in a block of code", "```py\n" + word + strings.Repeat("a", 12_000) + "\n" + word, parse.Unparseable, 0},
		{"the same in an argument between tags", "<function=calc><parameter=expr>" + same + "</parameter></function>\nand then " + echo, parse.Calls, 2},
		{"the same in an argument of GLM", "<tool_call>calc\n<arg_key>expr</arg_key>\n<arg_value>" + same + "</arg_value></tool_call>\nand then " + echo, parse.Calls, 2},
		{"the same in an argument of a tag", "<calc><expr>" + same + "</expr></calc>\nand then " + echo, parse.Calls, 2},
		{"the same in an escaped call", `{\"name\":\"calc\",\"arguments\":{\"expr\":\"` + same + `\"}}` + "\nand then " + echo, parse.Calls, 2},
		{"a long run of backticks behind a call", "`" + aCall + strings.Repeat("`", 64) + "\nmore", parse.Calls, 1},
		{"tildes over the end of a window", "so" + strings.Repeat("~", 9000), parse.Unparseable, 0},
		{"data, and spaces over the end of a window", "so {\"a\": \"b\"}" + strings.Repeat(" ", 8200) + "and so on", parse.Unparseable, 0},
		{"a comment without end behind a call in a marker", "<tool_call>calc(expr=\"1\") # " + strings.Repeat("-", 9000), parse.Calls, 1},
		{"a comment without end in a marker", "<tool_call> // " + strings.Repeat("-", 9000), parse.Unparseable, 0},
		{"a comment without end between calls", "calc(expr=\"1\")\n# " + strings.Repeat("-", 9000), parse.Unparseable, 0},
		{"wide characters, the same again and again", "so " + strings.Repeat("語", 9000), parse.Unparseable, 0},
		{"bytes that are no text", strings.Repeat("\xa5", 9000), parse.Unparseable, 0},
		{"a name of many letters in a header", "<|start|>" + strings.Repeat("a", 2000) + "<|message|>so", parse.Final, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			whole := parse.Parse(test.text, ruleTools, parse.FinishUnknown)
			if whole.Outcome != test.outcome || len(whole.Calls) != test.calls {
				t.Errorf("want outcome %d with %d calls, got %.300s", test.outcome, test.calls, summary(whole))
			}
			if utf8.ValidString(test.text) && !utf8.ValidString(whole.Text+whole.Thinking) {
				t.Error("a rune is cut")
			}
			s := parse.NewScanner(ruleTools)
			for _, f := range []parse.Finish{parse.FinishStop, parse.FinishLength} {
				want := parse.Parse(test.text, ruleTools, f)
				for _, n := range []int{1, 3, 1021} {
					s.Reset()
					for i := 0; i < len(test.text); i += n {
						s.Feed(test.text[i:min(i+n, len(test.text))])
					}
					if got := s.Close(f); !reflect.DeepEqual(got, want) {
						t.Errorf("finish %d, pieces of %d: %.300s, whole %.300s", f, n, summary(got), summary(want))
					}
				}
			}
		})
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
