package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// Hooks are called at five places of a step. Each may be nil. An error ends
// the run with [StopHook]. They run one at a time, never two at once, and on
// the goroutine of [Agent.Run]: a panic in one is the program's own, ends the
// run's tools and goes up to the caller.
type Hooks struct {
	BeforeModel   func(ctx context.Context, req *Request) error            // may change the request
	AfterModel    func(ctx context.Context, reading *parse.Result) error   // may change the reading
	BeforeTool    func(ctx context.Context, c *Call) error                 // may change the call, which is then checked again
	AfterTool     func(ctx context.Context, c Call, r *tools.Result) error // may change the result
	StopAfterStep func(ctx context.Context, s State) bool                  // true ends the run
}

func hookStop(err error) *stopped {
	return &stopped{stop: StopHook, err: fmt.Errorf("loop: hook: %w", err)}
}

// beforeModel lets the hook change a request. It gets a copy: what it changes is
// for this request, not for the fresh ones that may follow.
func (r *run) beforeModel(req *Request) (*Request, *stopped) {
	h := r.a.Hooks.BeforeModel
	if h == nil {
		return req, nil
	}
	sent := *req
	sent.Messages = slices.Clone(req.Messages)
	if err := h(r.ctx, &sent); err != nil {
		return req, hookStop(err)
	}
	return &sent, nil
}

// afterModel lets the hook change a reading, and keeps it one that makes sense.
func (r *run) afterModel(rep *reply) *stopped {
	h := r.a.Hooks.AfterModel
	if h == nil {
		return nil
	}
	if err := h(r.ctx, &rep.reading); err != nil {
		return hookStop(err)
	}
	reading := &rep.reading
	if reading.Outcome == parse.Calls && len(reading.Calls) == 0 {
		reading.Outcome = parse.Unparseable
	}
	if reading.Outcome == parse.Unparseable && reading.Problem == nil {
		reading.Problem = &parse.Problem{Reason: parse.ReasonEmpty}
	}
	return nil
}

// beforeTool lets the hook change a call, which is then checked again.
func (r *run) beforeTool(j *job) *stopped {
	h := r.a.Hooks.BeforeTool
	if h == nil {
		return nil
	}
	c := j.call
	if err := h(r.ctx, &c); err != nil {
		return hookStop(err)
	}
	if c.Name != j.call.Name || string(c.Args) != string(j.call.Args) {
		c.ID = j.call.ID
		*j = *r.job(c, j.ready.MaxBytes, r.mistakes)
	}
	return nil
}

func (r *run) afterTool(j *job) *stopped {
	if h := r.a.Hooks.AfterTool; h != nil {
		if err := h(r.ctx, j.call, j.result); err != nil {
			return hookStop(err)
		}
	}
	return nil
}
