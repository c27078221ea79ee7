package loop

import (
	"github.com/localagent/localagent/parse"
)

// json is the text of a reply that turned out to be the JSON the user had asked
// for: all of it, but for a thought before it.
func (rep *reply) json() string {
	calls := rep.reading.Calls
	text := rep.raw.String()
	if n := len(calls) - 1; rep.reading.Thinking != "" && calls[0].Span.End > 0 {
		return text[calls[0].Span.Start:calls[n].Span.End]
	}
	return text
}

// settle brings together what came in different ways: text, native calls, a
// thought of its own channel, an answer held to a schema. last says that the
// request was held to [replySchema].
func (r *run) settle(rep *reply, req *Request, last bool) {
	reading := &rep.reading
	reading.Thinking = rep.thought.String() + reading.Thinking
	if rep.tooLarge {
		*reading = unparseable(parse.Problem{Reason: parse.ReasonTooLarge}, *reading)
		return
	}
	addNative(reading, rep.native)
	text := rep.raw.String()
	if len(reading.Calls) > r.mostCalls(r.est.text(text)) {
		*reading = unparseable(parse.Problem{Reason: parse.ReasonTooLarge, Expected: fewerCalls}, *reading)
		return
	}
	if last {
		if answer, ok := schemaAnswer(text); ok {
			*reading, text = answerOf(answer, *reading), answer
		}
	}
	if req.Schema != nil && r.answer != nil && (!last || reading.Outcome == parse.Final) {
		*reading = r.held(text, rep.finish, *reading)
	}
}

func answerOf(text string, r parse.Result) parse.Result {
	return parse.Result{Outcome: parse.Final, Text: text, Thinking: r.Thinking}
}

// held is the reading of a reply to a request that was held to a schema: its
// text is an answer that fits [Agent.Schema], or no answer.
func (r *run) held(text string, finish parse.Finish, reading parse.Result) parse.Result {
	text, err := r.answer.check(text)
	switch {
	case finish == parse.FinishLength:
		return unparseable(parse.Problem{Reason: parse.ReasonTruncated, Expected: answerThatFits}, reading)
	case err == nil:
		return answerOf(text, reading)
	case reading.Outcome == parse.Final:
		return unparseable(parse.Problem{Reason: parse.ReasonMalformed, Expected: answerThatFits}, reading)
	}
	return reading
}

// addNative puts calls that came beside the text before those in it. An equal
// one in the text is the same call. Text that is unusable for another reason
// than that it is missing makes the whole reply unusable.
func addNative(r *parse.Result, native []parse.Call) {
	if len(native) == 0 || r.Outcome == parse.Unparseable && r.Problem.Reason != parse.ReasonEmpty {
		return
	}
	calls := make([]parse.Call, 0, len(native)+len(r.Calls))
	seen := make(map[string]bool)
	for _, c := range native {
		c.Dialect = Native
		calls = append(calls, c)
		seen[callKey(c.Name, c.Args)] = true
	}
	for _, c := range r.Calls {
		if !seen[callKey(c.Name, c.Args)] {
			calls = append(calls, c)
		}
	}
	r.Outcome, r.Calls, r.Problem = parse.Calls, calls, nil
}

// unparseable is a reading that is not to be used for a reason of the loop's.
func unparseable(p parse.Problem, r parse.Result) parse.Result {
	return parse.Result{
		Outcome: parse.Unparseable, Void: append(r.Calls, r.Void...), Thinking: r.Thinking,
		Problem: &p, Dropped: r.Dropped,
	}
}
