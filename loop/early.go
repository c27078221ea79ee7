package loop

import (
	"context"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// early holds calls that were started while the model still writes. They are
// ReadOnly ones, so that a reply which turns out void leaves no trace of them.
type early struct {
	started  []earlyCall
	barred   bool            // a call that has to wait its turn came by
	mistakes *tools.Mistakes // of the run, once the reply counts
	cancel   context.CancelFunc
	ctx      context.Context
}

type earlyCall struct {
	call Call
	out  chan tools.Result
}

// startEarly starts a call that was just read, if it may run before the reply
// is complete: nothing exclusive stands before it and nobody has to be asked.
func (r *run) startEarly(index int, read *parse.Call) {
	e := &r.early
	if !r.a.EarlyStart || r.a.Hooks.BeforeTool != nil || e.barred {
		return
	}
	c := r.call(index, read)
	// What is wrong is counted when the reply is known to be no void one.
	j := r.job(c, r.resultBytes(index+1), nil)
	if j.result != nil {
		return
	}
	if !j.readOnly() {
		e.barred = true
		return
	}
	if !j.tool.Volatile && r.guard.had(c) {
		return // the guard may say that it is not to run
	}
	if r.a.permission(r.ctx, PermitRequest{Call: j.call, Tool: j.tool, Early: true}).Verdict != Allowed {
		return
	}
	if e.ctx == nil {
		e.ctx, e.cancel = context.WithCancel(r.ctx)
		e.mistakes = r.mistakes.Clone()
	}
	j.ready.Mistakes = e.mistakes
	for _, s := range e.started {
		if sameCall(s.call, j.call) {
			return
		}
	}
	if len(e.started) < maxParallel {
		e.started = append(e.started, earlyCall{j.call, r.launch(e.ctx, j.ready, nil)})
	}
}

// take returns where the result of a call comes from that was started early;
// nil when it was not.
func (e *early) take(c Call) chan tools.Result {
	for i, s := range e.started {
		if s.call.ID == c.ID && sameCall(s.call, c) {
			e.started = append(e.started[:i:i], e.started[i+1:]...)
			return s.out
		}
	}
	return nil
}

// within passes on the result of a call that was started early, and gives its
// slot free. How many calls share the room was not known then: one that is too
// long now is asked for again, which a ReadOnly call may be.
func (r *run) within(out chan tools.Result, c tools.Call, slots chan struct{}) chan tools.Result {
	fitting := make(chan tools.Result, 1)
	r.running.Go(func() {
		defer func() { <-slots }()
		res := <-out
		if len(res.Text) > c.MaxBytes && r.ctx.Err() == nil {
			c.Mistakes = nil // what was wrong is counted already
			res = r.set.Do(r.ctx, c)
		}
		fitting <- res
	})
	return fitting
}

// discard ends what was started and not taken.
func (e *early) discard() {
	if e.cancel != nil {
		e.cancel()
	}
	*e = early{}
}
