package session

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

// A Reply is a reply of a log: as it was read when it came, and as today's
// parser reads it.
type Reply struct {
	Run, Step int // from 1
	Raw       string
	Finish    parse.Finish
	Options   parse.Options // of the run
	Was, Now  parse.Result  // arguments restored, as tools get them

	// Held says that the reply had to fit a schema, or was turned down for
	// another reason than how it reads, or came with native calls: the parser
	// alone did not decide what it was, so Was and Now are not compared.
	Held bool

	// Differences between Was and Now, one line each; nil: there are none.
	Differences []string
}

// Replay reads every reply of a log again, with the options of its run. A reply
// that was cancelled half way is passed over: what it would have become, nobody
// knows. An error is yielded once and ends the iteration.
func Replay(r io.Reader) iter.Seq2[Reply, error] {
	return func(yield func(Reply, error) bool) {
		var now Reply // where the log stands
		for ev, err := range Events(r) {
			if err != nil {
				yield(Reply{}, err)
				return
			}
			switch ev := ev.(type) {
			case loop.RunStarted:
				now = Reply{Run: now.Run + 1, Options: ev.Options}
			case loop.StepStarted:
				now.Step, now.Held = ev.Step, false
			case loop.FreshRetry:
				now.Held = ev.Schema
			case loop.Replied:
				if !ev.Aborted && !yield(reread(now, ev), nil) {
					return
				}
			}
		}
	}
}

func reread(r Reply, ev loop.Replied) Reply {
	r.Raw, r.Finish, r.Was = ev.Raw, ev.Finish, ev.Reading
	r.Now = parse.Parse(ev.Raw, r.Options, ev.Finish)
	for _, calls := range [][]parse.Call{r.Now.Calls, r.Now.Void} {
		for i := range calls {
			calls[i].Args = restored(calls[i].Args)
		}
	}
	// What came beside the text is not in it.
	if beside, ok := strings.CutSuffix(r.Was.Thinking, r.Now.Thinking); ok && !strings.Contains(ev.Raw, beside) {
		r.Now.Thinking = r.Was.Thinking
	}
	turnedDown := r.Was.Outcome == parse.Unparseable && r.Was.Problem == nil
	writtenBeside := ev.Raw == "" && r.Was.Outcome == parse.Final
	r.Held = r.Held || turnedDown || writtenBeside || slices.ContainsFunc(ev.Calls, isNative)
	if !r.Held {
		r.Differences = differences(r.Was, r.Now)
	}
	return r
}

func isNative(c loop.Call) bool { return c.Dialect == loop.Native }

// differences compares two readings, the most important first.
func differences(was, now parse.Result) []string {
	var d []string
	add := func(what, was, now string) {
		if was != now {
			d = append(d, fmt.Sprintf("%s: %s → %s", what, was, now))
		}
	}
	add("kind", outcomeNames.of(uint8(was.Outcome)), outcomeNames.of(uint8(now.Outcome)))
	add("problem", describeProblem(was.Problem), describeProblem(now.Problem))
	pairCalls(was.Calls, now.Calls, func(i int, a, b *parse.Call) { addCall(add, fmt.Sprintf("call %d", i+1), a, b) })
	pairCalls(was.Void, now.Void, func(i int, a, b *parse.Call) { addCall(add, fmt.Sprintf("void call %d", i+1), a, b) })
	addText(add, "text", was.Text, readable(now.Text))
	addText(add, "thinking", was.Thinking, readable(now.Thinking))
	add("leftovers", describeDropped(was.Dropped), describeDropped(now.Dropped))
	return d
}

// pairCalls calls f with the calls of both lists; nil where one has no more.
func pairCalls(was, now []parse.Call, f func(i int, a, b *parse.Call)) {
	at := func(calls []parse.Call, i int) *parse.Call {
		if i < len(calls) {
			return &calls[i]
		}
		return nil
	}
	for i := range max(len(was), len(now)) {
		f(i, at(was, i), at(now, i))
	}
}

// addCall says what differs between two calls. How a call was written matters
// only where what it says is the same.
func addCall(add func(what, was, now string), what string, a, b *parse.Call) {
	was, now := describeCall(a), describeCall(b)
	add(what, was, now)
	if was != now {
		return
	}
	add(what+" dialect", word(a.Dialect), word(b.Dialect))
	add(what+" span", describeSpan(a.Span), describeSpan(b.Span))
	add(what+" repairs", describeRepairs(a.Repairs), describeRepairs(b.Repairs))
}

const none = "none"

func word[S ~string](s S) string {
	if s == "" {
		return none
	}
	return string(s)
}

func describeCall(c *parse.Call) string {
	if c == nil {
		return none
	}
	return c.Name + " " + string(c.Args)
}

func describeProblem(p *parse.Problem) string {
	if p == nil {
		return none
	}
	return fmt.Sprintf("%s at %d", p.Reason, p.Offset)
}

func describeSpan(s parse.Span) string { return fmt.Sprintf("%d-%d", s.Start, s.End) }

func describeRepairs(repairs []parse.Repair) string {
	var parts []string
	for _, fix := range repairs {
		parts = append(parts, fmt.Sprintf("%s at %d", fix.Code, fix.Offset))
	}
	return word(strings.Join(parts, ", "))
}

func describeDropped(dropped []parse.Dropped) string {
	var parts []string
	for _, d := range dropped {
		parts = append(parts, fmt.Sprintf("%s at %s", d.Reason, describeSpan(d.Span)))
	}
	return word(strings.Join(parts, ", "))
}

// addText shows two texts from where they part.
func addText(add func(what, was, now string), what, was, now string) {
	n := commonPrefix(was, now)
	if n > 0 {
		what = fmt.Sprintf("%s from byte %d", what, n)
	}
	add(what, fmt.Sprintf("%q", shorten(was[n:])), fmt.Sprintf("%q", shorten(now[n:])))
}

// commonPrefix is how many bytes two valid texts have in common, up to a rune.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}
