package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// maxParallel is how many ReadOnly calls run at once at most.
const maxParallel = 8

// A job is a call on its way to a result.
type job struct {
	call   Call
	tool   *tools.Tool
	ready  tools.Call        // checked
	result *tools.Result     // known without running it; nil: it has to run
	came   tools.Result      // the result before a hook saw it
	twin   *job              // an equal call of the batch, whose result is this one's too
	out    chan tools.Result // where the result of a running call comes from
}

// readOnly reports whether the job may run beside others. A call that will not
// run disturbs nobody.
func (j *job) readOnly() bool {
	return j.result != nil || j.tool.Access == tools.ReadOnly
}

// calls gives the calls of a reading their ids and brings their arguments into
// the form in which they run.
func (r *run) calls(read []parse.Call) []Call {
	calls := make([]Call, len(read))
	for i := range read {
		calls[i] = r.call(i, &read[i])
	}
	return calls
}

func (r *run) call(index int, read *parse.Call) Call {
	c := Call{
		ID:       fmt.Sprintf("%d.%d", r.state.Step, index+1),
		Name:     read.Name,
		Args:     argsOf(read.Args),
		Dialect:  read.Dialect,
		Repaired: len(read.Repairs) > 0,
	}
	c.Echo = r.echo.has(c)
	return c
}

// argsOf are arguments as a tool gets them. Package parse gives only objects; what
// a model or a hook gave instead is JSON all the same, so that a conversation
// can be written down: none are an empty object, what is no JSON is a string.
func argsOf(read json.RawMessage) json.RawMessage {
	switch {
	case len(read) == 0:
		return json.RawMessage("{}")
	case !json.Valid(read):
		return quoteJSON(string(read))
	}
	return json.RawMessage(parse.Restore(string(read)))
}

// job checks a call. limit is how much room its result has, in bytes; what is
// wrong with it is counted in m.
func (r *run) job(c Call, limit int, m *tools.Mistakes) *job {
	j := &job{call: c, tool: r.set.Lookup(c.Name)}
	j.ready, _, j.result = r.set.Check(tools.Call{
		ID: c.ID, Name: c.Name, Args: c.Args,
		MaxBytes: limit, Timeout: r.a.toolTimeout(), Mistakes: m,
	})
	if j.tool == nil && j.result == nil {
		panic("loop: a tool that is not in the set passed its check")
	}
	if j.result == nil {
		j.call.Args = j.ready.Args
	}
	return j
}

// act runs the calls of a reply: neighbouring ReadOnly ones in parallel, each
// other one alone. Every call gets exactly one result, in the order of the
// calls, whatever happens.
func (r *run) act(calls []Call) *stopped {
	r.mistakes = cmp.Or(r.early.mistakes, r.mistakes)
	limit := r.resultBytes(len(calls))
	var batch []*job // ReadOnly jobs that wait to start together
	var stop *stopped
	for _, c := range calls {
		j := r.job(c, limit, r.mistakes)
		if stop == nil && r.ctx.Err() == nil {
			stop = r.beforeTool(j)
		}
		if !j.readOnly() {
			stop = r.runBatch(batch, stop)
			batch = batch[:0]
		}
		if stop == nil && r.ctx.Err() == nil {
			stop = r.permit(j)
		}
		if (stop != nil || r.ctx.Err() != nil) && j.result == nil {
			j.end(tools.Skipped, textSkipped)
		}
		batch = append(batch, j)
		if !j.readOnly() {
			stop = r.runBatch(batch, stop)
			batch = batch[:0]
		}
	}
	stop = r.runBatch(batch, stop)
	if stop == nil && r.ctx.Err() != nil {
		stop = cancelled(r.ctx, StopAbortedTools)
	}
	return stop
}

// runBatch starts jobs at the same time and waits for all of them.
func (r *run) runBatch(batch []*job, stop *stopped) *stopped {
	r.start(batch)
	for _, j := range batch {
		if s := r.finish(j); stop == nil {
			stop = s
		}
	}
	return stop
}

// end gives the job a result without running it.
func (j *job) end(status tools.Status, text string) {
	j.result = &tools.Result{ID: j.call.ID, Name: j.call.Name, Status: status, Text: text}
}

// start runs the jobs of a batch that have no result yet, equal ones once. Those
// that were started early have their slots before the others.
func (r *run) start(batch []*job) {
	var running []*job
	slots := make(chan struct{}, maxParallel)
	for _, j := range batch {
		if j.result != nil {
			continue
		}
		if j.twin = twinOf(j, running); j.twin != nil {
			continue
		}
		running = append(running, j)
		if j.out = r.early.take(j.call); j.out != nil {
			slots <- struct{}{} // there is room: see startEarly
		}
	}
	for _, j := range running {
		r.emit(ToolStarted{j.call})
		if j.out != nil {
			j.out = r.within(j.out, j.ready, slots)
		} else {
			j.out = r.launch(r.ctx, j.ready, slots)
		}
	}
}

// twinOf finds a running job that does the same. Only the jobs of one batch are
// compared: nothing has changed between them.
func twinOf(j *job, running []*job) *job {
	for _, other := range running {
		if sameCall(other.call, j.call) {
			return other
		}
	}
	return nil
}

// launch runs a call beside the loop. It takes a slot, if there are slots.
func (r *run) launch(ctx context.Context, c tools.Call, slots chan struct{}) chan tools.Result {
	out := make(chan tools.Result, 1)
	r.running.Go(func() {
		if slots != nil {
			slots <- struct{}{}
			defer func() { <-slots }()
		}
		out <- r.set.Do(ctx, c)
	})
	return out
}

// finish waits for the result of a job and records it.
func (r *run) finish(j *job) *stopped {
	switch {
	case j.twin != nil:
		same := j.twin.came
		same.Coerced = j.ready.Coerced
		j.result = &same
	case j.result == nil:
		res := <-j.out
		j.result = &res
	}
	j.came = *j.result
	stop := r.afterTool(j)
	j.result.ID = j.call.ID
	r.state.Calls++
	if j.result.Status != tools.OK {
		r.state.Failures++
	}
	r.results = append(r.results, *j.result)
	r.echo.hear(j.result.Text)
	r.emit(ToolEnded{j.call, *j.result})
	r.publish()
	return stop
}

// permit asks whether a job may run.
func (r *run) permit(j *job) *stopped {
	if j.result != nil {
		return nil
	}
	r.suspend([]Call{j.call})
	p := r.a.permission(r.ctx, PermitRequest{Call: j.call, Tool: j.tool})
	r.suspend(nil)
	if r.ctx.Err() != nil {
		return nil // the question was cancelled, not answered
	}
	if p.Verdict != Allowed || p.By != "" && (j.call.Echo || harmful(j.tool)) {
		r.emit(Asked{j.call, p})
	}
	switch p.Verdict {
	case Allowed:
	case Forbidden:
		j.end(tools.Denied, reasoned("Not run: a rule forbids this call", p)+" Do not try it again; find another way, or say what is needed.")
	case Refused:
		r.refused++
		j.end(tools.Refused, reasoned("Not run: this call needs approval and nobody can be asked", p)+" Do not try it again; go on without it, or say what is needed.")
	default:
		j.end(tools.Denied, reasoned("Not run: the user said no", p))
		return stopf(StopDenied, "the user did not allow %s", j.call.Name)
	}
	return nil
}

func reasoned(text string, p Permission) string {
	if p.Reason == "" {
		return text + "."
	}
	return text + ": " + strings.TrimRight(p.Reason, ".") + "."
}

// resultBytes is how much room the result of each of n calls has: a quarter of
// what is left of the window, and all of them together three quarters.
func (r *run) resultBytes(n int) int {
	left := r.room.prompt() - r.state.Tokens
	share := r.est.bytes(min(left/4, left*3/4/max(n, 1))) - frameBytes
	return max(share, min(minResultBytes, 2*minResultBytes/max(n, 1)), minCutBytes)
}

// mostCalls is how many calls of a reply of that many tokens can have results
// that fit, if only just.
func (r *run) mostCalls(reply int) int {
	left := r.room.prompt() - r.state.Tokens - reply
	return max(r.est.bytes(left*3/4)/(frameBytes+minCutBytes), fewCalls)
}

const (
	minResultBytes = 400 // enough for an error
	minCutBytes    = 48  // enough to say what is left out
	frameBytes     = 64  // of the marker around a result
	fewCalls       = 8   // compaction makes room for so many
)
