package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/permission"
)

// A job is an agent with all that the command puts around it: a model, tools
// below a folder, a log, a conversation, and the views of what happens. A run
// plays one prompt on it, a chat one after the other.
type job struct {
	e     *env
	o     *options
	agent *loop.Agent
	talk  *loop.Transcript
	root  *os.Root
	log   *session.Log // nil: nothing is recorded
	temp  string       // the folder for long output then, made when it is needed
	say   *approver    // about calls that no rule settles

	header  session.Header
	trouble error   // with the model, known before it is asked
	status  *status // nil: nobody waits at a terminal
	watch   []view  // further views
}

// newJob does all that can fail before the model is asked.
func (e *env) newJob(ctx context.Context, o *options) (*job, error) {
	j := &job{e: e, o: o, talk: &loop.Transcript{}}
	ok := false
	defer func() {
		if !ok {
			j.close()
		}
	}()
	var err error
	if j.root, err = openRoot(o); err != nil {
		return nil, err
	}
	if err := j.openLog(); err != nil {
		return nil, err
	}
	if err := j.setAgent(ctx); err != nil {
		return nil, err
	}
	ok = true
	return j, nil
}

// setAgent makes the agent that the options describe. It is made anew when a
// chat changes an option.
func (j *job) setAgent(ctx context.Context) error {
	o := j.o
	var err error
	if j.say == nil {
		if j.say, err = j.e.approver(o, j.root); err != nil {
			return err
		}
	}
	set, err := j.e.toolSet(o, j.root, j.spillDir(), j.say.session.Hides)
	if err != nil {
		return err
	}
	schema, err := j.e.readSchema(ctx, o.schema)
	if err != nil {
		return err
	}
	model, header, err := j.e.newModel(ctx, o) // late, as it may wait for a server
	if err != nil {
		return err
	}
	system, err := j.e.systemText(ctx, o) // later, as each model may have its own
	if err != nil {
		return err
	}
	j.agent = &loop.Agent{
		Model: model, Tools: set, System: system, Dialect: header.dialect, Schema: schema,
		MaxSteps: o.maxSteps, MaxTokens: o.maxTokens, ToolTimeout: o.toolTimeout,
		Guard: guardOf(o.guard), Permit: j.permit,
		Monitor: &loop.Monitor{},
	}
	if isReplay(o.model) {
		j.agent.Window = o.numCtx
	}
	header.CWD = folder(j.root)
	header.Approve = string(j.say.mode())
	j.setHeader(header.Header)
	j.trouble = header.trouble
	return nil
}

// setHeader says what is recorded of the runs to come, and where.
func (j *job) setHeader(h session.Header) {
	h.Version, h.Session = version(), ""
	j.agent.Record = nil
	if j.log != nil {
		h.Session = j.log.ID()
		j.log.Header = h
		j.agent.Record = j.log.Write
	}
	j.header = h
}

// permit asks whether a call may run. The status line goes away meanwhile: a
// person may be asked on the same terminal.
func (j *job) permit(ctx context.Context, r loop.PermitRequest) loop.Permission {
	if j.status != nil {
		j.status.show("")
	}
	return j.say.permit(ctx, r)
}

func (j *job) close() {
	if j.log != nil {
		j.log.Close()
	}
	if j.root != nil {
		j.root.Close()
	}
	if j.temp != "" {
		os.RemoveAll(j.temp)
	}
}

// spillDir is where long output of tools goes: to the log, or where nothing is
// recorded to a folder of which nothing is left either. Nobody can guess its name,
// and so nobody else has made it.
func (j *job) spillDir() string {
	if j.log != nil {
		return j.log.SpillDir()
	}
	if j.temp == "" {
		j.temp = filepath.Join(os.TempDir(), "localagent-output-"+rand.Text())
	}
	return j.temp
}

func guardOf(word string) loop.Guard {
	switch word {
	case "off":
		return loop.Guard{Off: true}
	case "warn":
		return loop.Guard{Strikes: 1}
	}
	return loop.Guard{}
}

// readSchema reads the schema that the answer must fit.
func (e *env) readSchema(ctx context.Context, file string) (json.RawMessage, error) {
	if file == "" {
		return nil, nil
	}
	b, err := e.readBytes(ctx, file)
	if err != nil {
		return nil, err
	}
	b = withoutMark(b)
	if _, err := tools.NewSchema(b); err != nil {
		return nil, usageErrorf("%s cannot be used as a JSON Schema: %v", file, err)
	}
	return b, nil
}

// play sends the prompt, shows what happens and returns how it ended, with the
// exit status.
func (j *job) play(ctx context.Context, p loop.Prompt) (*loop.Result, int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx, stop := withTimeout(ctx, j.o)
	defer stop()
	code := func(r *loop.Result) int { return exitOf(ctx, r) }
	if j.log != nil {
		j.log.Exit = code
	}
	if j.e.err.canMove() && !j.o.quiet {
		j.status = newStatus(j.e.err, j.e.out)
		defer func() {
			j.status.close()
			j.status = nil
		}()
	}
	views := j.views(code)
	var end *loop.Result
	for ev := range j.agent.Events(ctx, j.talk, p) {
		for _, v := range views {
			v.event(ev)
		}
		if lost := j.e.lost(); lost != nil && ctx.Err() == nil {
			cancel(lost) // as when the reader of stdout has gone
		}
		if ev, ok := ev.(loop.RunEnded); ok {
			end = ev.Result
		}
	}
	return end, code(end)
}

// withTimeout bounds ctx by --timeout. A bound that is there already stays, if it
// is the earlier one.
func withTimeout(ctx context.Context, o *options) (context.Context, context.CancelFunc) {
	if o.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, o.timeout, errTimeout)
}

// views are who watches the run, in the order in which they are told.
func (j *job) views(code func(*loop.Result) int) []view {
	var views []view
	if j.status != nil {
		views = append(views, &waiter{status: j.status, model: j.header.Model})
	}
	views = append(views, j.output(code),
		&progress{s: j.e.err, quiet: j.o.quiet, verbose: j.o.verbose, thinking: j.o.showThinking, all: j.say.mode() == permission.ModeAll})
	return append(views, j.watch...)
}

func (j *job) output(code func(*loop.Result) int) view {
	if j.o.format == formatText {
		return newTextOutput(j.e.out, j.e.out.tty && !j.o.noStream)
	}
	return newJSONOutput(j.e.out, j.header, j.o.format == formatJSON, code)
}

// A waiter keeps the status line up to date.
type waiter struct {
	status *status
	model  string

	thought int // runes of thinking so far
}

func (w *waiter) event(ev loop.Event) {
	switch ev := ev.(type) {
	case loop.StepStarted:
		w.thought = 0
		w.status.show("waiting for " + w.model)
	case loop.Loading:
		w.status.relabel("loading " + w.model)
	case loop.ThinkingDelta:
		w.thought += len([]rune(ev.Text))
		w.status.relabel("thinking, " + thousands(w.thought) + " characters")
	case loop.TextDelta:
		w.status.show("")
	case loop.Retracted, loop.FreshRetry, loop.Replied:
		w.status.show("")
	case loop.ModelRetry:
		w.status.show("waiting " + shortTime(ev.Retry.Delay.Round(100*time.Millisecond)))
	case loop.ToolStarted:
		w.status.show(ev.Call.Name + " " + describeArgs(ev.Call.Args, 60))
	case loop.ToolEnded, loop.RunEnded:
		w.status.show("")
	}
}
