package main

import (
	"context"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
)

// permit decides about the calls of a run: tools that only look may run.
func (e *env) permit(o *options) func(context.Context, loop.PermitRequest) loop.Permission {
	return func(_ context.Context, r loop.PermitRequest) loop.Permission {
		if r.Tool.Class == tools.Read {
			return loop.Permission{Verdict: loop.Allowed, By: "mode"}
		}
		return loop.Permission{Verdict: loop.Refused, By: "nobody", Reason: "it needs approval, and nobody can be asked"}
	}
}

// showPermissions prints what may run without asking.
func (c *chat) showPermissions() error {
	c.e.out.put("reads run, the rest is refused\n")
	return nil
}

// examineSettings shows where the settings come from.
func (e *env) examineSettings(o *options, x *examination) {}
