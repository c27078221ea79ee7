package loop

import (
	"slices"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// The kinds of an [Entry].
const (
	KindTask    = "task"    // what a user asked
	KindSteer   = "steer"   // what a user said while the run went on
	KindNote    = "note"    // what the loop told the model: a nudge, a warning
	KindReply   = "reply"   // of the model
	KindResults = "results" // of the calls of the reply before
	KindSummary = "summary" // what is left of older entries
	KindAborted = "aborted" // a reply that was cancelled half way; the model is not shown it
)

// Transcript is a conversation: everything a run needs to go on. It is plain
// data, and what [Transcript.Apply] makes of the events of its runs: a log read
// back event by event gives the same transcript. Any prefix of it can be gone
// on from; calls without a result get one that says so. It belongs to one run at
// a time.
type Transcript struct {
	Entries []Entry `json:"entries"`
}

// An Entry is one turn of a [Transcript].
type Entry struct {
	Role    Role           `json:"role"`
	Text    string         `json:"text"`              // what a user said, defused; or the bytes of a reply that count
	Calls   []Call         `json:"calls,omitempty"`   // of a reply
	Results []tools.Result `json:"results,omitempty"` // one for each call of the reply before
	Kind    string         `json:"kind,omitempty"`    // [KindTask] and its kind
}

// Apply adds to the conversation what an event says was said: [UserMessage],
// [Replied], [ToolEnded] and [Compacted]. Other events change nothing.
//
// Of a reply it keeps what counts: nothing of an unusable one, and nothing that
// the model invented behind its calls or its answer.
func (t *Transcript) Apply(ev Event) {
	switch ev := ev.(type) {
	case UserMessage:
		kind := ev.Kind
		if kind == "" {
			kind = KindTask
		}
		t.add(Entry{Role: User, Kind: kind, Text: ev.Text})
	case Replied:
		if e, ok := replyEntry(ev); ok {
			t.add(e)
		}
	case ToolEnded:
		t.addResult(ev.Result)
	case Compacted:
		if ev.Entries != nil {
			t.Entries = slices.Clone(ev.Entries)
		}
	}
}

func (t *Transcript) add(e Entry) { t.Entries = append(t.Entries, e) }

func (t *Transcript) addResult(r tools.Result) {
	last := len(t.Entries) - 1
	if last < 0 || t.Entries[last].Kind != KindResults {
		t.add(Entry{Role: User, Kind: KindResults})
		last++
	}
	e := &t.Entries[last]
	e.Results = append(e.Results, r)
}

// replyEntry is what of a reply joins the conversation.
func replyEntry(ev Replied) (e Entry, ok bool) {
	e = Entry{Role: Assistant, Kind: KindReply, Text: ev.Raw, Calls: ev.Calls}
	if ev.Aborted {
		e.Kind, e.Calls = KindAborted, nil
		return e, ev.Raw != ""
	}
	if at, ok := beyondAt(ev.Reading); ok && at <= len(e.Text) {
		e.Text = e.Text[:at]
	}
	e.Text += renderNative(ev.Calls)
	switch {
	case e.Text != "":
	case len(ev.Calls) > 0:
		e.Text = renderCalls(ev.Calls) // a hook's
	case ev.Reading.Outcome == parse.Final:
		e.Text = ev.Reading.Text // written beside the text
	}
	usable := len(ev.Calls) > 0 || ev.Reading.Outcome != parse.Unparseable
	return e, usable && e.Text != ""
}

// beyondAt is where a reply goes on with what is not the model's to write, or with
// itself for ever: the rest counts as nothing.
func beyondAt(reading parse.Result) (offset int, ok bool) {
	for _, d := range reading.Dropped {
		switch d.Reason {
		case parse.DroppedResult, parse.DroppedTurn, parse.DroppedRepetition:
			return d.Span.Start, true
		}
	}
	return 0, false
}

// renderNative writes calls that came beside the text as the text that they
// might have been, so that the model sees what its results belong to.
func renderNative(calls []Call) string {
	return renderCalls(slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Dialect != Native }))
}

func renderCalls(calls []Call) string {
	var text string
	for _, c := range calls {
		text += "\n" + parse.Render(parse.Call{Name: c.Name, Args: c.Args}, "")
	}
	return text
}

// mend returns the entries with exactly one result for each call, in the order
// of the calls, directly behind their reply. What was lost, because a program
// ended between a call and its result, is said to be lost.
func mend(entries []Entry) []Entry {
	out := make([]Entry, 0, len(entries))
	for i, e := range entries {
		if e.Kind == KindResults && (i == 0 || len(entries[i-1].Calls) == 0) {
			continue // results of nothing
		}
		if e.Kind != KindResults {
			out = append(out, e)
		}
		if len(e.Calls) == 0 {
			continue
		}
		var had []tools.Result
		if i+1 < len(entries) && entries[i+1].Kind == KindResults {
			had = entries[i+1].Results
		}
		out = append(out, Entry{Role: User, Kind: KindResults, Results: pair(e.Calls, had)})
	}
	return out
}

// pair finds the result of each call, or says that it is lost.
func pair(calls []Call, had []tools.Result) []tools.Result {
	rs := make([]tools.Result, len(calls))
	for i, c := range calls {
		at := slices.IndexFunc(had, func(r tools.Result) bool { return r.ID == c.ID })
		if at >= 0 {
			rs[i] = had[at]
			continue
		}
		rs[i] = tools.Result{
			ID: c.ID, Name: c.Name, Status: tools.Aborted,
			Text: "The program ended before this call had a result. It may or may not have run.",
		}
	}
	return rs
}
