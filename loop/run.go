package loop

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A run is the state of [Agent.Run]. All of it belongs to one goroutine; only
// tools run beside it, and none of them when the run is over.
type run struct {
	a       *Agent
	t       *Transcript
	set     *tools.Set
	options parse.Options // how replies are read
	system  string        // the system message
	sample  string        // a call as it should be written
	answer  *answerSchema // nil: answers are free text

	ctx       context.Context
	cancel    context.CancelCauseFunc
	yield     func(Event) bool
	running   sync.WaitGroup // calls, also those whose result nobody waits for
	left      bool           // nobody listens any more
	recordErr error          // Agent.Record failed

	room     room
	proved   int // tokens that fit, as a server said or showed; 0: not known
	est      estimator
	guard    guardState
	echo     *echoes
	early    early
	mistakes *tools.Mistakes
	state    State

	// since the user last spoke
	pieces      []string // of an answer that was cut
	nudged      bool
	askedAnswer bool   // for an answer that fits its schema
	unknown     string // signature of the last step, when its calls named no tool

	results  []tools.Result // of this step
	force    bool           // compact before the next request
	useless  int            // summaries that did not help
	tried    int            // tokens when the last of them was asked for
	overflow int            // prompts the server refused in a row
	warned   warnings
	last     promptCount

	text    string // the best text so far
	raw     string // of the last reply that could not be used
	cut     bool   // text was cut by the output limit
	refused int
}

// warnings remembers what the model or the user was told once.
type warnings struct{ tokens, steps, cut bool }

// Why a step was not the last.
const (
	continueCalls    = "calls"
	continueSteer    = "steer"
	continueFollowUp = "follow_up"
	continueCut      = "cut"
	continueRetry    = "retry"
	continueNudge    = "nudge"
)

// newRun prepares a run. What is wrong with the configuration stops it at once.
func (a *Agent) newRun(ctx context.Context, t *Transcript, yield func(Event) bool) (*run, *stopped) {
	if t == nil {
		t = &Transcript{}
	}
	r := &run{a: a, t: t, yield: yield, set: a.Tools, guard: guardState{Guard: a.Guard}, mistakes: &tools.Mistakes{}}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if r.set == nil {
		r.set = tools.NewSet()
	}
	ts := r.set.All()
	for _, tool := range ts {
		r.options.Tools = append(r.options.Tools, parse.Tool{Name: tool.Name, Parameters: tool.Parameters})
	}
	r.options.ExpectJSON = len(a.Schema) > 0 && len(ts) == 0
	if len(ts) > 0 {
		r.sample = parse.Render(sampleCall(ts), a.Dialect)
	}
	r.echo = newEchoes(r.set, r.options)
	t.Entries = mend(t.Entries)
	r.rehear()
	r.state.Window = defaultWindow
	r.system = systemPrompt(a.System, ts, a.Dialect, a.Schema)
	var err error
	if r.answer, err = compileAnswer(a.Schema); err != nil {
		return r, &stopped{stop: StopUnparseable, err: err, cure: "Correct the schema of the answer."}
	}
	if a.Model == nil {
		return r, &stopped{stop: StopModelError, err: errNoModel, cure: "Give the agent a model."}
	}
	return r, nil
}

// rehear gives the echo guard what an earlier part of the conversation held.
func (r *run) rehear() {
	for i := range r.t.Entries {
		e := &r.t.Entries[i]
		switch e.Kind {
		case KindTask:
			r.echo.hear(foreign(e.Text))
		case KindSummary:
			r.echo.hear(e.Text)
		case KindResults:
			for _, res := range e.Results {
				r.echo.hear(res.Text)
			}
		}
	}
}

// emit records an event, adds it to the conversation and shows it. A consumer
// that leaves, or a record that fails, cancels the run; what follows is still
// recorded.
func (r *run) emit(ev Event) {
	r.t.Apply(ev)
	if r.a.Record != nil && r.recordErr == nil {
		if r.recordErr = r.a.Record(ev); r.recordErr != nil {
			r.cancel(r.recordErr)
		}
	}
	if !r.left && !r.yield(ev) {
		r.left = true
		r.cancel(errLeft)
	}
}

// publish shows the state to whoever watches.
func (r *run) publish() {
	if r.a.Monitor != nil {
		s := r.state
		r.a.Monitor.state.Store(&s)
	}
}

func (r *run) suspend(calls []Call) {
	r.state.Suspended = calls
	r.publish()
}

// say adds a message of the user, or of the loop in the user's turn.
func (r *run) say(kind, text string) {
	if kind != KindNote {
		r.guard.reset()
		r.pieces, r.nudged, r.askedAnswer, r.unknown = nil, false, false, ""
	}
	r.emit(UserMessage{Text: text, Kind: kind})
}

// drive runs to the end.
func (r *run) drive(p Prompt) *stopped {
	r.measureWindow()
	names := make([]string, 0, len(r.options.Tools))
	for _, t := range r.options.Tools {
		names = append(names, t.Name)
	}
	r.emit(RunStarted{Tools: names, Window: r.room.window, Options: r.options})
	switch text := p.text(); {
	case strings.TrimSpace(text) != "":
		if stop := r.admit(text); stop != nil {
			return stop
		}
		r.echo.hear(foreign(text))
		r.say(KindTask, text)
	case !userSpokeLast(r.t.Entries):
		r.say(KindNote, noteContinue)
	}
	for {
		if stop := r.boundary(); stop != nil {
			return stop
		}
		if stop := r.step(); stop != nil {
			return stop
		}
	}
}

// boundary is what happens between two steps: limits are checked, and messages
// that steer join.
func (r *run) boundary() *stopped {
	if r.ctx.Err() != nil {
		return cancelled(r.ctx, StopAbortedModel)
	}
	if !r.stepsLeft() {
		return stopf(StopMaxSteps, "%s without an answer%s", count(r.state.Step, "step"), r.lastAction())
	}
	r.steer()
	r.warnSteps()
	return nil
}

// steer lets the messages join that steer. It reports whether there were any.
func (r *run) steer() bool {
	texts := r.a.Queue.steering()
	for _, text := range texts {
		r.say(KindSteer, parse.Defuse(text))
	}
	return len(texts) > 0
}

// step is one request and what follows from it: fit, ask, decide, act, record.
func (r *run) step() (stop *stopped) {
	ms, stop := r.fit()
	if stop != nil {
		return stop
	}
	r.state.Step++
	r.state.Continue = ""
	r.results = r.results[:0]
	r.publish()
	r.emit(StepStarted{Step: r.state.Step, Tokens: r.state.Tokens})
	rep, m, stop := r.reply(r.request(ms))
	for stop == refit {
		if ms, stop = r.fit(); stop == nil {
			rep, m, stop = r.reply(r.request(ms))
		}
	}
	if stop == nil {
		stop = r.follow(rep, m)
	}
	return r.endStep(stop)
}

func (r *run) endStep(stop *stopped) *stopped {
	r.early.discard()
	r.publish()
	r.emit(StepEnded{r.state})
	if stop != nil {
		return stop
	}
	if h := r.a.Hooks.StopAfterStep; h != nil && h(r.ctx, r.state) {
		return hookStop(errHookStop)
	}
	return nil
}

func (r *run) stepsLeft() bool {
	most := r.a.maxSteps()
	return most < 0 || r.state.Step < most
}

// lastAction names the last thing that was done, for a run that was not
// finished.
func (r *run) lastAction() string {
	if len(r.results) == 0 {
		return ""
	}
	last := r.results[len(r.results)-1]
	return fmt.Sprintf("; the last was %s (%s)", last.Name, last.Status)
}

// result is what the caller gets.
func (r *run) result(s *stopped) *Result {
	res := &Result{
		Stop: s.stop, Answer: r.text, Cut: r.cut, Raw: r.raw, Err: s.err,
		Advice: s.cure, Refused: r.refused,
	}
	if r.recordErr != nil {
		res.Stop, res.Err, res.Advice = StopSession, fmt.Errorf("loop: session: %w", r.recordErr), ""
	}
	if res.Advice == "" {
		res.Advice = advice[res.Stop]
	}
	r.state.Suspended = nil
	res.State = r.state
	return res
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
