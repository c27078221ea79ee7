package main

import (
	"context"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools/permission"
)

// permit decides about the calls of a run.
func (e *env) permit(o *options) func(context.Context, loop.PermitRequest) loop.Permission {
	p := &permission.Policy{Mode: permission.Mode(o.approve)}
	if o.yes {
		p.Mode = permission.ModeAll
	}
	return func(_ context.Context, r loop.PermitRequest) loop.Permission {
		switch d := p.Decide(r.Tool, r.Call.Args, r.Call.Echo); d.Verdict {
		case permission.Allow:
			return loop.Permission{Verdict: loop.Allowed, By: d.By, Reason: d.Why}
		case permission.Deny:
			return loop.Permission{Verdict: loop.Forbidden, By: d.By, Reason: d.Why}
		default:
			return loop.Permission{Verdict: loop.Refused, By: "nobody", Reason: d.Why}
		}
	}
}

// showPermissions prints what may run without asking.
func (c *chat) showPermissions() error {
	c.e.out.put("approve: " + c.o.approve + "\n")
	return nil
}

// examineSettings shows where the settings come from.
func (e *env) examineSettings(o *options, x *examination) {}
