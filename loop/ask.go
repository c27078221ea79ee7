package loop

import (
	"github.com/localagent/localagent/parse"
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
