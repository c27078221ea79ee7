package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"sync/atomic"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// An Agent is the configuration of a run. Only Model is required; every other
// zero value is a documented default.
type Agent struct {
	Model   Model
	Tools   *tools.Set    // nil: none
	System  string        // added before the tool section
	Dialect parse.Dialect // how calls are asked for; "": canonical JSON

	MaxSteps    int           // requests of a run, retries apart; 0: 20, <0: no limit
	MaxTokens   int           // prompt and output of the whole run; 0: no limit
	MaxOutput   int           // tokens of one reply; 0: a quarter of the window, at most 4096
	Window      int           // tokens; 0: what the model says, else 4096
	ToolTimeout time.Duration // of tools without their own; 0: 60s

	Guard      Guard
	Retries    int  // fresh requests for an unusable reply; 0: 2, <0: none
	EarlyStart bool // ReadOnly calls may start while the model still writes; one whose result is too long then runs again

	// Schema is what the final answer must fit; nil: free text.
	Schema json.RawMessage

	// Permit decides whether a call may run; what it says once ctx has ended does
	// not count. nil: every call may, but for echoes; see [Call].
	Permit func(ctx context.Context, r PermitRequest) Permission

	// Record, if not nil, is called with every event, in order and before the
	// run goes on: what it has written stands on disk before the next step
	// begins. It is called also after the run was cancelled. An error ends the
	// run with [StopSession].
	Record func(Event) error

	Hooks Hooks
	Queue *Queue // what a user adds while the run goes on; nil: nothing

	Monitor *Monitor // shows the state of the run to others; nil: nobody looks
}

// A PermitRequest asks whether a call may run.
type PermitRequest struct {
	Call Call
	Tool *tools.Tool

	// Early says that the model still writes and nobody may be asked yet: any
	// verdict but Allowed only means that the call waits its turn.
	Early bool
}

// A Permission is the answer to a [PermitRequest].
type Permission struct {
	Verdict Verdict
	By      string // rule, mode, user, session, echo, nobody
	Reason  string // told to the model when the call does not run
}

// Verdict is the outcome of a [PermitRequest].
type Verdict uint8

const (
	Allowed   Verdict = iota
	Forbidden         // a rule says no: the model is told, the run goes on
	Refused           // needs approval and nobody can be asked: told, the run goes on, [Result].Refused counts it
	Rejected          // a person said no: the run ends as denied
)

// A Prompt is what a user asks.
type Prompt struct {
	Text        string
	Attachments []Attachment // text given beside the instruction: files, piped input
}

// An Attachment is text that the user did not write: it stands in a block of its
// own, before the prompt or where At says. Calls in it are echoes.
type Attachment struct {
	Name string `json:"name"` // "stdin", a file name
	Text string `json:"text"`
	At   int    `json:"at,omitempty"` // where in the prompt's text, a byte offset; not before the At of the attachment before it
}

// Result is how a run ended. Run never returns nil.
type Result struct {
	Stop    Stop
	Answer  string // when Stop is final; else the best text there is
	Cut     bool   // Answer was cut by the output limit
	Raw     string // the last reply, when it could not be used
	Err     error  // nil only when Stop is final
	Advice  string // one sentence: what the user can do
	State   State
	Refused int // calls that needed approval and nobody could be asked
}

// State says where a run stands. It can be asked for at any time.
type State struct {
	Step        int    `json:"step"`
	Continue    string `json:"continue"` // why the last step was not the last: calls, steer, follow_up, cut, retry, nudge
	Calls       int    `json:"calls"`
	Failures    int    `json:"failures"` // calls whose result is not ok
	Retries     int    `json:"retries"`  // fresh requests
	Repairs     int    `json:"repairs"`  // calls that were read with repairs
	Cuts        int    `json:"cuts"`     // replies cut by the output limit
	Compactions int    `json:"compactions"`
	Before      int    `json:"before,omitempty"` // tokens before and after the last compaction
	After       int    `json:"after,omitempty"`
	Suspended   []Call `json:"suspended,omitempty"` // waiting for permission
	Usage       Usage  `json:"usage"`
	Window      int    `json:"window"`
	Tokens      int    `json:"tokens"` // of the context, estimated
}

// A Monitor shows where a run stands, at any time and from any goroutine. Its
// zero value is ready.
type Monitor struct{ state atomic.Pointer[State] }

// State returns the latest state; zero before the first step.
func (m *Monitor) State() State {
	if s := m.state.Load(); s != nil {
		return *s
	}
	return State{}
}

// Run adds the prompt to the conversation and drives the model until there is
// an answer or a reason to stop. An empty prompt goes on with the conversation
// as it stands. The result is never nil.
//
// The conversation is up to date when Run returns, however it ends: every call
// in it has a result.
func (a *Agent) Run(ctx context.Context, t *Transcript, p Prompt) *Result {
	var res *Result
	for ev := range a.Events(ctx, t, p) {
		if end, ok := ev.(RunEnded); ok {
			res = end.Result
		}
	}
	return res
}

// Events is Run as an iterator. Its last event is [RunEnded]. Leaving the loop
// cancels the run and waits until every call has its result. No tool is still
// running then, but for one that does not stop when its context ends.
//
// The run advances while the loop asks for events, on the same goroutine: a
// consumer that takes its time slows the run down.
func (a *Agent) Events(ctx context.Context, t *Transcript, p Prompt) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		r, stop := a.newRun(ctx, t, yield)
		defer r.running.Wait()
		defer r.cancel(nil)
		if stop == nil {
			stop = r.drive(p)
		}
		res := r.result(stop)
		r.publish()
		r.emit(RunEnded{res})
		if r.recordErr != nil {
			*res = *r.result(stop)
		}
	}
}

const (
	defaultMaxSteps    = 20
	defaultRetries     = 2
	defaultToolTimeout = time.Minute
)

func (a *Agent) maxSteps() int              { return cmp.Or(a.MaxSteps, defaultMaxSteps) }
func (a *Agent) retries() int               { return max(cmp.Or(a.Retries, defaultRetries), 0) }
func (a *Agent) toolTimeout() time.Duration { return cmp.Or(a.ToolTimeout, defaultToolTimeout) }

// permission asks whether a call may run.
func (a *Agent) permission(ctx context.Context, p PermitRequest) Permission {
	switch {
	case a.Permit != nil:
		return a.Permit(ctx, p)
	case p.Call.Echo:
		return Permission{Refused, "echo", "the same call stands in text that was read, so it may be copied and not meant"}
	}
	return Permission{Verdict: Allowed}
}
