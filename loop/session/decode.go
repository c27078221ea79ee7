package session

import (
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/localagent/localagent/loop"
)

// Events yields the events that a log was written from, so that a run can be
// shown again as it was. Durations are whole milliseconds, errors keep only
// their text, and a log has no deltas. What is no line is passed over; an error
// is yielded once and ends the iteration.
func Events(r io.Reader) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		var d decoder
		for l, err := range Lines(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, ev := range d.decode(l) {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
}

// A decoder turns lines back into events. Its zero value is ready.
type decoder struct {
	step  int                  // of this run
	total int                  // steps of all runs
	reply *messageLine         // seen, its reading not yet
	calls map[string]loop.Call // of this step, by id
	state loop.State           // after the last step
	out   []loop.Event
}

// decode returns the events of a line: none, one, or two when the line is the
// first of its step. The slice is valid until the next call. A line of a type
// that is not known, or whose fields are not of their kind, is none.
func (d *decoder) decode(l Line) []loop.Event {
	d.out = d.out[:0]
	if l.Type != typeInit && l.Step > d.step {
		d.step = l.Step
		d.total++
		clear(d.calls)
		d.out = append(d.out, loop.StepStarted{Step: l.Step})
	}
	if ev := d.event(l); ev != nil {
		d.out = append(d.out, ev)
	}
	return d.out
}

func (d *decoder) event(l Line) loop.Event {
	switch l.Type {
	case typeInit:
		return decodeAs(l, d.runStarted)
	case typeMessage:
		return decodeAs(l, d.message)
	case typeText:
		return decodeAs(l, func(l *deltaLine) loop.Event { return loop.TextDelta{Text: l.Delta} })
	case typeThinking:
		return decodeAs(l, func(l *deltaLine) loop.Event { return loop.ThinkingDelta{Text: l.Delta} })
	case typeRetract:
		return loop.Retracted{}
	case typeParse:
		return decodeAs(l, d.replied)
	case typeToolUse:
		return decodeAs(l, d.toolUse)
	case typeApproval:
		return decodeAs(l, d.asked)
	case typeToolResult:
		return decodeAs(l, d.toolEnded)
	case typeWarning:
		return decodeAs(l, func(l *warningLine) loop.Event { return loop.Warned{Code: l.Code, Text: l.Message} })
	case typeRetry:
		return decodeAs(l, d.retry)
	case typeCompact:
		return decodeAs(l, func(l *compactLine) loop.Event { return l.event() })
	case typeStep:
		return decodeAs(l, d.stepEnded)
	case typeResult:
		return decodeAs(l, d.runEnded)
	}
	return nil
}

// decodeAs reads a line as a T and makes an event of it.
func decodeAs[T any](l Line, event func(*T) loop.Event) loop.Event {
	var t T
	if json.Unmarshal(l.JSON, &t) != nil {
		return nil
	}
	return event(&t)
}

func (d *decoder) runStarted(l *initLine) loop.Event {
	*d = decoder{total: d.total, out: d.out}
	return l.event()
}

func (d *decoder) message(l *messageLine) loop.Event {
	switch l.Role {
	case loop.User:
		return loop.UserMessage{Kind: l.Kind, Text: l.text()}
	case loop.Assistant:
		d.reply = l
	}
	return nil
}

// replied joins a reading to the reply before it. One without the other says
// nothing: a reply that was not read never counted.
func (d *decoder) replied(l *parseLine) loop.Event {
	m := d.reply
	if m == nil {
		return nil
	}
	d.reply = nil
	ev := loop.Replied{
		Raw: m.text(), Finish: finishOf(m.Finish), Aborted: m.Aborted, Calls: l.run(),
	}
	ev.Reading = l.reading(len(ev.Raw))
	if m.Usage != nil {
		ev.Usage = m.Usage.usage()
	}
	for _, c := range ev.Calls {
		d.keep(c)
	}
	return ev
}

func (d *decoder) keep(c loop.Call) {
	if d.calls == nil {
		d.calls = make(map[string]loop.Call)
	}
	d.calls[c.ID] = c
}

// call is the call with that id, as far as the log has said what it is.
func (d *decoder) call(id, name string) loop.Call {
	if c, ok := d.calls[id]; ok {
		return c
	}
	return loop.Call{ID: id, Name: name, Args: json.RawMessage("{}")}
}

func (d *decoder) toolUse(l *toolUseLine) loop.Event {
	d.keep(l.Call)
	if l.Unstarted {
		return nil
	}
	return loop.ToolStarted{Call: l.Call}
}

func (d *decoder) asked(l *approvalLine) loop.Event {
	return loop.Asked{Call: d.call(l.ID, l.Name), Decision: loop.Permission{
		Verdict: loop.Verdict(verdictNames.value(l.Decision, uint8(loop.Refused))), By: l.By, Reason: l.Reason,
	}}
}

func (d *decoder) toolEnded(l *toolResultLine) loop.Event {
	return loop.ToolEnded{Call: d.call(l.ID, l.Name), Result: l.result()}
}

func (d *decoder) retry(l *retryLine) loop.Event {
	if l.Kind == retryReply {
		ev := loop.FreshRetry{Attempt: l.Attempt, Schema: l.Schema}
		ev.Problem.Reason, ev.Problem.Offset = l.Reason, l.Offset
		ev.Problem.Expected, ev.Problem.Found = l.Expected, l.Found
		return ev
	}
	return loop.ModelRetry{Retry: loop.Retry{
		Attempt: l.Attempt, Delay: milliseconds(l.DelayMS), Err: errorOf(l.Message),
	}}
}

func (d *decoder) stepEnded(l *stepLine) loop.Event {
	d.total = max(d.total, l.Total)
	d.state = l.state(l.Step)
	return loop.StepEnded{State: d.state}
}

func (d *decoder) runEnded(l *resultLine) loop.Event {
	d.total = max(d.total, l.Total)
	s := d.state
	s.Step, s.Calls, s.Repairs, s.Usage = l.Steps, l.ToolCalls, l.Repairs, l.Usage.usage()
	return loop.RunEnded{Result: &loop.Result{
		Stop: l.Stop, Answer: l.Answer, Cut: l.Cut, Raw: l.Raw, Err: errorOf(l.Error),
		Advice: l.Advice, State: s, Refused: l.Refused,
	}}
}

func errorOf(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
