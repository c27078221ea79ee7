package loop

import (
	"context"
	"fmt"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// Hooks are called at five places of a step. Each may be nil. An error ends
// the run with [StopHook]. They run one at a time, never two at once.
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

func (r *run) beforeModel(req *Request) *stopped {
	if h := r.a.Hooks.BeforeModel; h != nil {
		if err := h(r.ctx, req); err != nil {
			return hookStop(err)
		}
	}
	return nil
}

func (r *run) afterModel(rep *reply) *stopped {
	if h := r.a.Hooks.AfterModel; h != nil {
		if err := h(r.ctx, &rep.reading); err != nil {
			return hookStop(err)
		}
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
		*j = *r.job(c, j.ready.MaxBytes)
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
