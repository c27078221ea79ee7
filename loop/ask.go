package loop

import (
	"errors"
	"strings"

	"github.com/localagent/localagent/parse"
)

// A reply is what a model wrote for one request, and its reading.
type reply struct {
	raw     strings.Builder
	thought strings.Builder // from the channel for it
	native  []parse.Call
	done    *Done // nil: the stream did not end by itself
	finish  parse.Finish

	size     int  // of all that came, in bytes
	tooLarge bool // more came than was asked for
	reading  parse.Result
	usage    Usage
}

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

// bytesPerOutputToken bounds what may come for a token of [Request].MaxOutput
// before a stream is cut off: a server that ignores the limit may go on for
// ever.
const (
	bytesPerOutputToken = 16
	minReplyBytes       = 64 << 10
)

// reply asks for a reply until there is one that can be used, or no way is
// left: ask, with fresh requests for what cannot be read.
func (r *run) reply(first *Request) (*reply, move, *stopped) {
	req := first
	for attempt := 0; ; attempt++ {
		rep, stop := r.ask(req)
		if stop != nil {
			return nil, 0, stop
		}
		r.settle(rep, req, attempt > 0 && attempt == r.a.retries())
		if stop := r.afterModel(rep); stop != nil {
			r.unusable(rep)
			return nil, 0, stop
		}
		m := decide(&rep.reading, rep.finish, r.facts(rep, attempt))
		switch m {
		case moveGiveUp:
			r.unusable(rep)
			return nil, 0, r.gaveUp(rep)
		case moveNoRest:
			r.unusable(rep)
			return rep, m, nil
		case moveRetry:
			r.unusable(rep)
			if req, stop = r.fresh(first, rep, attempt+1); stop != nil {
				return nil, 0, stop
			}
		default:
			return rep, m, nil
		}
	}
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
		c.Dialect = nativeDialect
		calls = append(calls, c)
		seen[readKey(c)] = true
	}
	for _, c := range r.Calls {
		if !seen[readKey(c)] {
			calls = append(calls, c)
		}
	}
	r.Outcome, r.Calls, r.Problem = parse.Calls, calls, nil
}

func readKey(c parse.Call) string { return c.Name + string(sortedJSON(c.Args)) }

// facts are what the decision on a reply depends on besides it.
func (r *run) facts(rep *reply, attempt int) facts {
	f := facts{
		retriesLeft: attempt < r.a.retries(),
		stepsLeft:   r.stepsLeft(),
		goneOn:      len(r.pieces),
		nudged:      r.nudged,
		unknown:     r.unknownAgain(rep.reading.Calls),
		fits:        true,
		mayGoOn:     len(r.pieces) < maxGoOn,
	}
	if r.answer != nil {
		_, err := r.answer.check(rep.reading.Text)
		f.fits = err == nil && rep.finish != parse.FinishLength
		f.mayGoOn = false // half a JSON value cannot be gone on with
	}
	return f
}

// unusable records a reply that does not join the conversation.
func (r *run) unusable(rep *reply) {
	r.early.discard()
	r.raw = rep.raw.String()
	reading := rep.reading
	reading.Outcome = parse.Unparseable
	r.emit(Replied{Raw: r.raw, Finish: rep.finish, Reading: reading, Usage: rep.usage})
}

// gaveUp is the end of a run whose last reply could not be used.
func (r *run) gaveUp(rep *reply) *stopped {
	p := rep.reading.Problem
	if p == nil {
		_, err := r.answer.check(rep.reading.Text)
		return stopf(StopUnparseable, "%w", err)
	}
	stop := giveUp(p.Reason, rep.finish)
	if stop == StopEmpty && rep.reading.Thinking != "" {
		return stopf(stop, "no answer came after the model's reasoning")
	}
	return stopf(stop, "no usable reply in %s: %s", count(r.a.retries()+1, "request"), fault(*p, rep.finish))
}

// fresh is the next request for a reply that could not be used.
func (r *run) fresh(first *Request, rep *reply, attempt int) (*Request, *stopped) {
	p := *rep.reading.Problem
	room := r.room.window - r.est.messages(first.Messages) - retryMargin
	req := freshRequest(first, attempt, p, rep.finish, r.sample, room)
	most, stop := r.afford(r.est.messages(req.Messages), req.MaxOutput)
	if stop != nil {
		return nil, stop
	}
	req.MaxOutput = most
	last := attempt == r.a.retries()
	if last {
		req.Schema = replySchema(r.set.All(), r.a.Schema)
		req.Messages[len(req.Messages)-1].Content += schemaReminder
	}
	r.state.Retries++
	r.state.Continue = continueRetry
	r.emit(FreshRetry{Attempt: attempt, Problem: p, Schema: last})
	return req, nil
}

// retryMargin is room, in tokens, for the reminder of a fresh request.
const retryMargin = 128

// ask sends a request until its reply is complete. No tool of this step has run
// yet, the early readers apart, so a failure can be tried again.
func (r *run) ask(req *Request) (*reply, *stopped) {
	req, stop := r.beforeModel(req)
	if stop != nil {
		return nil, stop
	}
	var rep *reply
	tooLong, stop := r.persist(func() (err error) {
		rep, err = r.stream(req)
		return err
	})
	switch {
	case tooLong != nil:
		return nil, r.tooLong(req, tooLong)
	case stop != nil:
		r.raw = rep.raw.String()
		return nil, stop
	}
	r.account(req, rep)
	return rep, nil
}

// persist makes tries until one succeeds or none is left. A prompt that is too
// long is for the caller to shorten.
func (r *run) persist(try func() error) (tooLong *ModelError, stop *stopped) {
	var failed retries
	for {
		err := try()
		if err == nil {
			return nil, nil
		}
		if r.ctx.Err() != nil {
			return nil, cancelled(r.ctx, StopAbortedModel)
		}
		e := classify(err)
		pause, again := failed.next(e)
		switch {
		case e.Kind == TooLong:
			return e, nil
		case !again:
			return nil, &stopped{stop: StopModelError, err: err, cure: e.Cure}
		}
		r.emit(ModelRetry{Retry{Attempt: failed.failed, Delay: pause, Err: err}})
		if sleep(r.ctx, pause) != nil {
			return nil, cancelled(r.ctx, StopAbortedModel)
		}
	}
}

// aborted records what had come of a reply when the run was cancelled.
func (r *run) aborted(rep *reply) {
	if text := parse.Restore(rep.reading.Text); text != "" {
		r.text = text
	}
	r.emit(Replied{
		Raw: rep.raw.String(), Finish: rep.finish, Reading: rep.reading,
		Aborted: true, Usage: rep.usage,
	})
}

// stream makes one attempt. The reply is never nil.
func (r *run) stream(req *Request) (*reply, error) {
	rep := &reply{}
	s := parse.NewScanner(r.options)
	var err error
	rep.finish, err = r.receive(req, rep, s)
	rep.reading = s.Close(rep.finish)
	if err == nil && rep.done == nil && rep.finish == parse.FinishUnknown {
		err = ErrNoTerminal
	}
	switch {
	case r.ctx.Err() != nil:
		r.aborted(rep)
		err = r.ctx.Err()
	case errors.Is(err, ErrNoTerminal) && repeats(rep.raw.String()):
		// Some servers end the stream without a word when one token repeats.
		rep.reading = unparseable(parse.Problem{Reason: parse.ReasonRepetition}, rep.reading)
		err = nil
	case err == nil && rep.reading.Outcome != parse.Unparseable:
		r.show(s.Rest()) // of an unusable reply it would only be a broken call
	}
	if err != nil {
		r.early.discard()
	}
	return rep, err
}

// receive reads the stream to its end, or until nothing that follows can
// matter. The finish is unknown when the stream just ended.
func (r *run) receive(req *Request, rep *reply, s *parse.Scanner) (parse.Finish, error) {
	most := max(minReplyBytes, req.MaxOutput*bytesPerOutputToken)
	for ch, err := range r.a.Model.Stream(r.ctx, req) {
		if err != nil {
			return parse.FinishUnknown, err
		}
		if r.ctx.Err() != nil {
			return parse.FinishUnknown, r.ctx.Err()
		}
		if r.chunk(rep, s, ch) {
			return parse.FinishStop, nil
		}
		if rep.size > most {
			rep.tooLarge = true
			return parse.FinishLength, nil
		}
		if ch.Done != nil {
			rep.done = ch.Done
			return ch.Done.Finish, nil
		}
	}
	return parse.FinishUnknown, nil
}

// chunk takes a piece of a reply. It reports whether generation may stop.
func (r *run) chunk(rep *reply, s *parse.Scanner, ch Chunk) (stop bool) {
	rep.size += ch.size()
	if ch.Loading {
		r.emit(Loading{})
	}
	if ch.Thinking != "" {
		rep.thought.WriteString(ch.Thinking)
		r.emit(ThinkingDelta{ch.Thinking})
	}
	rep.native = append(rep.native, ch.Calls...)
	if ch.Text == "" {
		return false
	}
	rep.raw.WriteString(ch.Text)
	return r.show(s.Feed(ch.Text))
}

// size bounds a stream, in bytes: one that brings nothing for ever has a limit
// too.
func (ch *Chunk) size() int {
	n := 1 + len(ch.Text) + len(ch.Thinking)
	for _, c := range ch.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// show passes on what the scanner read. It reports whether nothing that follows
// can matter.
func (r *run) show(read []parse.Event) (stop bool) {
	for _, ev := range read {
		switch ev.Kind {
		case parse.EventText:
			r.emit(TextDelta{parse.Restore(ev.Text)})
		case parse.EventThinking:
			r.emit(ThinkingDelta{ev.Text})
		case parse.EventRetract:
			r.early.discard()
			r.emit(Retracted{})
		case parse.EventCall:
			r.startEarly(ev.Index, ev.Call)
		case parse.EventStop:
			stop = true
		}
	}
	return stop
}

// unparseable is a reading that is not to be used for a reason of the loop's.
func unparseable(p parse.Problem, r parse.Result) parse.Result {
	return parse.Result{
		Outcome: parse.Unparseable, Void: append(r.Calls, r.Void...), Thinking: r.Thinking,
		Problem: &p, Dropped: r.Dropped,
	}
}

// repeats reports whether a text ends in one short unit over and over.
func repeats(s string) bool {
	const most, times = 16, 20
	for unit := 1; unit <= most && unit*times <= len(s); unit++ {
		tail := s[len(s)-unit*times:]
		if strings.TrimSpace(tail) != "" && tail == strings.Repeat(tail[:unit], times) {
			return true
		}
	}
	return false
}
