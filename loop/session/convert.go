package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// This file turns the types of packages loop, parse and tools into what stands
// on a line, and back.

func newContent(s string) content {
	text, raw := encodeText(s)
	return content{text, raw}
}

func (c content) text() string { return decodeText(c.Content, c.Raw) }

func encodeText(s string) (text, raw string) {
	if utf8.ValidString(s) {
		return s, ""
	}
	return readable(s), base64.StdEncoding.EncodeToString([]byte(s))
}

// readable is s with U+FFFD for every byte that is not part of a rune, as
// encoding/json writes it.
func readable(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// decodeText undoes encodeText. Bytes that do not decode were damaged: the
// readable form is the best there is.
func decodeText(text, raw string) string {
	if raw == "" {
		return text
	}
	if b, err := base64.StdEncoding.DecodeString(raw); err == nil {
		return string(b)
	}
	return text
}

// names are the words for the values of a small enumeration.
type names []string

func (ns names) of(v uint8) string {
	if int(v) < len(ns) {
		return ns[v]
	}
	return "unknown"
}

// value is the value of a word; fallback if it has none.
func (ns names) value(word string, fallback uint8) uint8 {
	if i := slices.Index(ns, word); i >= 0 {
		return uint8(i)
	}
	return fallback
}

var (
	finishNames  = names{parse.FinishUnknown: "unknown", parse.FinishStop: "stop", parse.FinishLength: "length"}
	outcomeNames = names{parse.Unparseable: "unparseable", parse.Final: "final", parse.Calls: "call"}
	verdictNames = names{loop.Allowed: "allowed", loop.Forbidden: "forbidden", loop.Refused: "refused", loop.Rejected: "rejected"}
)

func finishOf(word string) parse.Finish {
	return parse.Finish(finishNames.value(word, uint8(parse.FinishUnknown)))
}

// wireCall makes sure that arguments cannot spoil a line. Package parse gives
// only valid objects; what a hook put there instead is kept as a string.
func wireCall(c loop.Call) loop.Call {
	switch {
	case len(c.Args) == 0:
		c.Args = json.RawMessage("{}")
	case !json.Valid(c.Args):
		c.Args, _ = json.Marshal(string(c.Args))
	default:
		c.Args = bytes.ToValidUTF8(c.Args, []byte("\uFFFD"))
	}
	return c
}

func wireCalls(calls []loop.Call) []loop.Call {
	var wired []loop.Call
	for _, c := range calls {
		wired = append(wired, wireCall(c))
	}
	return wired
}

// restored are arguments as a tool gets them; see [parse.Restore].
func restored(args json.RawMessage) json.RawMessage {
	return json.RawMessage(parse.Restore(string(args)))
}

func newInitLine(h Header, ev loop.RunStarted) *initLine {
	l := &initLine{
		Session: h.Session, Version: h.Version, Model: h.Model, Digest: h.Digest, Host: h.Host,
		Dialect: h.Dialect, NumCtx: h.NumCtx, CWD: h.CWD, Approve: h.Approve,
		Window: ev.Window, Tools: []string{},
		InThought: ev.Options.InThought, ExpectJSON: ev.Options.ExpectJSON,
	}
	if l.NumCtx == 0 {
		l.NumCtx = ev.Window
	}
	if ev.Options.Tools == nil {
		l.Tools = append(l.Tools, ev.Tools...)
	}
	for _, t := range ev.Options.Tools {
		l.Tools = append(l.Tools, t.Name)
		if len(t.Parameters) > 0 && json.Valid(t.Parameters) {
			if l.Schemas == nil {
				l.Schemas = make(map[string]json.RawMessage)
			}
			l.Schemas[t.Name] = t.Parameters
		}
	}
	return l
}

func (l *initLine) event() loop.RunStarted {
	o := parse.Options{InThought: l.InThought, ExpectJSON: l.ExpectJSON}
	for _, name := range l.Tools {
		o.Tools = append(o.Tools, parse.Tool{Name: name, Parameters: l.Schemas[name]})
	}
	return loop.RunStarted{Tools: l.Tools, Window: l.Window, Options: o}
}

// newParseLine records a reading. run are the calls as they are to run: they
// have ids, may have come beside the text, and their arguments are restored.
func newParseLine(r parse.Result, run []loop.Call) *parseLine {
	l := &parseLine{
		Kind: outcomeNames.of(uint8(r.Outcome)), Text: r.Text, Thinking: r.Thinking,
		Calls: placeCalls(run, r.Calls), Void: placeCalls(nil, r.Void),
	}
	for _, c := range l.Calls {
		l.Repairs = append(l.Repairs, c.Repairs...)
	}
	if len(l.Calls) > 0 {
		l.Dialect = l.Calls[0].Dialect
	}
	for _, d := range r.Dropped {
		l.Leftovers = append(l.Leftovers, spanLine{d.Span.Start, d.Span.End, d.Reason})
	}
	if p := r.Problem; p != nil {
		l.Problem = &problemLine{p.Reason, p.Offset, p.Expected, p.Found}
	}
	return l
}

// placeCalls pairs the calls to run with those read from the text, in order.
// A read call without a partner stands for itself.
func placeCalls(run []loop.Call, read []parse.Call) []callLine {
	var lines []callLine
	for _, c := range run {
		l := callLine{Call: wireCall(c)}
		if len(read) > 0 && c.Name == read[0].Name && bytes.Equal(c.Args, restored(read[0].Args)) {
			l.place(&read[0])
			read = read[1:]
		}
		lines = append(lines, l)
	}
	for _, p := range read {
		l := callLine{Call: wireCall(loop.Call{
			Name: p.Name, Args: restored(p.Args), Dialect: p.Dialect, Repaired: len(p.Repairs) > 0,
		})}
		l.place(&p)
		lines = append(lines, l)
	}
	return lines
}

func (l *callLine) place(p *parse.Call) {
	if p.Dialect == loop.Native {
		return
	}
	l.Start, l.End, l.Marked = &p.Span.Start, &p.Span.End, p.Marked
	for _, fix := range p.Repairs {
		l.Repairs = append(l.Repairs, repairLine(fix))
	}
}

// reading is what newParseLine was made from, the arguments restored; n is the
// length of the reply. A span that does not lie in it is junk.
func (l *parseLine) reading(n int) parse.Result {
	r := parse.Result{
		Outcome: parse.Outcome(outcomeNames.value(l.Kind, uint8(parse.Unparseable))),
		Calls:   readCalls(l.Calls, n), Void: readCalls(l.Void, n),
		Text: l.Text, Thinking: l.Thinking,
	}
	for _, d := range l.Leftovers {
		if inside(d.Start, d.End, n) {
			r.Dropped = append(r.Dropped, parse.Dropped{Span: parse.Span{Start: d.Start, End: d.End}, Reason: d.Reason})
		}
	}
	if p := l.Problem; p != nil {
		r.Problem = &parse.Problem{Reason: p.Reason, Offset: p.Offset, Expected: p.Expected, Found: p.Found}
	}
	return r
}

func inside(start, end, n int) bool { return 0 <= start && start <= end && end <= n }

func readCalls(lines []callLine, n int) []parse.Call {
	var calls []parse.Call
	for _, l := range lines {
		if l.Start == nil || l.End == nil || !inside(*l.Start, *l.End, n) {
			continue
		}
		c := parse.Call{
			Name: l.Name, Args: l.Args, Dialect: l.Dialect, Marked: l.Marked,
			Span: parse.Span{Start: *l.Start, End: *l.End},
		}
		for _, fix := range l.Repairs {
			c.Repairs = append(c.Repairs, parse.Repair(fix))
		}
		calls = append(calls, c)
	}
	return calls
}

// run are the calls that were to run.
func (l *parseLine) run() []loop.Call {
	var calls []loop.Call
	for _, c := range l.Calls {
		if c.ID != "" {
			calls = append(calls, c.Call)
		}
	}
	return calls
}

func newResultFields(r tools.Result) resultFields {
	f := resultFields{
		ID: r.ID, Name: r.Name, Status: r.Status,
		Truncated: r.Truncated, Digest: r.Digest, Coerced: r.Coerced,
		ExitCode: r.ExitCode, Diff: r.Diff, Stack: r.Stack, DurationMS: r.Elapsed.Milliseconds(),
	}
	f.Output, f.OutputRaw = encodeText(r.Text)
	return f
}

func (f resultFields) result() tools.Result {
	return tools.Result{
		ID: f.ID, Name: f.Name, Status: f.Status, Text: decodeText(f.Output, f.OutputRaw),
		Truncated: f.Truncated, Digest: f.Digest, Coerced: f.Coerced,
		ExitCode: f.ExitCode, Diff: f.Diff, Stack: f.Stack, Elapsed: milliseconds(f.DurationMS),
	}
}

func newRetryLine(r loop.Retry) *retryLine {
	l := &retryLine{Kind: retryModel, Attempt: r.Attempt, DelayMS: r.Delay.Milliseconds()}
	if r.Err != nil {
		l.Message = r.Err.Error()
	}
	return l
}

func newCompactLine(ev loop.Compacted) *compactLine {
	l := &compactLine{Tier: ev.Tier, Before: ev.Before, After: ev.After}
	if ev.Entries != nil { // none is not the same as no word of them
		l.Entries = make([]entryLine, 0, len(ev.Entries))
	}
	for _, e := range ev.Entries {
		l.Entries = append(l.Entries, newEntryLine(e))
	}
	return l
}

func (l *compactLine) event() loop.Compacted {
	ev := loop.Compacted{Tier: l.Tier, Before: l.Before, After: l.After}
	if l.Entries != nil {
		ev.Entries = make([]loop.Entry, 0, len(l.Entries))
	}
	for _, e := range l.Entries {
		ev.Entries = append(ev.Entries, e.entry())
	}
	return ev
}

func newEntryLine(e loop.Entry) entryLine {
	l := entryLine{Role: e.Role, Kind: e.Kind, content: newContent(e.Text), Calls: wireCalls(e.Calls)}
	for _, r := range e.Results {
		l.Results = append(l.Results, newResultFields(r))
	}
	return l
}

func (l entryLine) entry() loop.Entry {
	e := loop.Entry{Role: l.Role, Kind: l.Kind, Text: l.text(), Calls: l.Calls}
	for _, f := range l.Results {
		e.Results = append(e.Results, f.result())
	}
	return e
}

func newStateFields(s loop.State) stateFields {
	return stateFields{
		Continue: s.Continue, Calls: s.Calls, Failures: s.Failures, Retries: s.Retries,
		Repairs: s.Repairs, Cuts: s.Cuts, Compactions: s.Compactions, Before: s.Before, After: s.After,
		Suspended: wireCalls(s.Suspended), Usage: newUsageLine(s.Usage), Window: s.Window, Tokens: s.Tokens,
	}
}

func (f stateFields) state(step int) loop.State {
	return loop.State{
		Step: step, Continue: f.Continue, Calls: f.Calls, Failures: f.Failures, Retries: f.Retries,
		Repairs: f.Repairs, Cuts: f.Cuts, Compactions: f.Compactions, Before: f.Before, After: f.After,
		Suspended: f.Suspended, Usage: f.Usage.usage(), Window: f.Window, Tokens: f.Tokens,
	}
}

func newUsageLine(u loop.Usage) usageLine {
	return usageLine{u.PromptTokens, u.OutputTokens, u.Load.Milliseconds(), u.Eval.Milliseconds()}
}

func (l usageLine) usage() loop.Usage {
	return loop.Usage{
		PromptTokens: l.PromptTokens, OutputTokens: l.OutputTokens,
		Load: milliseconds(l.LoadMS), Eval: milliseconds(l.EvalMS),
	}
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
