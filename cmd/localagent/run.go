package main

import (
	"context"
	"errors"
	"os"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
)

func runCommand() *command {
	return &command{
		name:    "run",
		args:    "[flags] [PROMPT…]",
		summary: "one task, then exit (the default command)",
		about: "Sends the prompt to the model, runs the tools it calls and prints its answer.\n" +
			"The arguments are the prompt; text piped in beside them is given as a block before it, or where \"-\" stands. " +
			"Piped text alone is the prompt.\n" +
			"Stdout has the answer and nothing else; what happens meanwhile is told on stderr.",
		examples: []example{
			{`localagent -m gemma3:4b "Which Go files here are longest?"`, "look around in this folder"},
			{`git diff | localagent -m gemma3:4b "Write a commit message"`, "piped text, then the instruction"},
			{`localagent -m gemma3:4b --json "Add up the sizes in sizes.txt" | jq -r .answer`, "for a script"},
			{`localagent -m replay:replies.jsonl "What is 6 times 7?"`, "recorded replies in place of a model"},
		},
		groups:   []group{modelGroup, toolGroup, limitGroup, outputGroup},
		run:      runRun,
		graceful: true,
	}
}

func runRun(ctx context.Context, e *env, o *options, args []string) error {
	r, err := e.prepare(ctx, o, args)
	if err != nil {
		return e.failed(o, err)
	}
	defer r.close()
	ctx, cancel := withTimeout(ctx, o)
	defer cancel()
	return r.play(ctx)
}

// withTimeout bounds the run with --timeout.
func withTimeout(ctx context.Context, o *options) (context.Context, context.CancelFunc) {
	if o.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, o.timeout, errTimeout)
}

// A job is a run that is ready to start.
type job struct {
	e      *env
	o      *options
	agent  *loop.Agent
	talk   *loop.Transcript
	prompt loop.Prompt
	header session.Header
	root   *os.Root
}

// prepare does all that can fail before the model is asked.
func (e *env) prepare(ctx context.Context, o *options, args []string) (*job, error) {
	prompt, err := e.readPrompt(ctx, args, nil)
	if err != nil {
		return nil, err
	}
	if prompt.Text == "" {
		return nil, errNoPrompt
	}
	model, err := e.newModel(o)
	if err != nil {
		return nil, err
	}
	root, err := openRoot(o)
	if err != nil {
		return nil, err
	}
	set, err := toolSet(o, root)
	if err != nil {
		root.Close()
		return nil, err
	}
	j := &job{
		e: e, o: o, prompt: prompt, root: root,
		talk: &loop.Transcript{},
		agent: &loop.Agent{
			Model: model, Tools: set, System: o.system,
			MaxSteps: o.maxSteps, Window: o.numCtx,
			Guard: guardOf(o.guard), Permit: e.permit(o),
		},
		header: session.Header{
			Version: version(), Model: o.model, Host: o.host, NumCtx: o.numCtx, CWD: root.Name(),
		},
	}
	return j, nil
}

func (j *job) close() { j.root.Close() }

func guardOf(word string) loop.Guard {
	switch word {
	case "off":
		return loop.Guard{Off: true}
	case "warn":
		return loop.Guard{Strikes: 1}
	}
	return loop.Guard{}
}

// play runs the job and shows it. It returns nil or the exit.
func (j *job) play(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	code := exitInternal
	views := j.views(func(r *loop.Result) int { return exitOf(ctx, r) })
	for ev := range j.agent.Events(ctx, j.talk, j.prompt) {
		for _, v := range views {
			v.event(ev)
		}
		if j.e.out.err != nil && ctx.Err() == nil {
			cancel(j.e.out.err) // the reader of stdout has gone
		}
		if end, ok := ev.(loop.RunEnded); ok {
			code = exitOf(ctx, end.Result)
		}
	}
	if code == exitOK {
		return nil
	}
	return exit(code)
}

// views are who watches the run.
func (j *job) views(code func(*loop.Result) int) []view {
	p := &progress{s: j.e.err, quiet: j.o.quiet, verbose: j.o.verbose}
	return []view{j.output(code), p}
}

func (j *job) output(code func(*loop.Result) int) view {
	if j.o.format == formatText {
		return &textOutput{s: j.e.out, stream: j.e.out.tty}
	}
	return newJSONOutput(j.e.out, j.header, j.o.format == formatJSON, code)
}

// failed reports an error from before the run. Whoever asked for JSON gets the
// result line all the same.
func (e *env) failed(o *options, err error) error {
	var said exit
	if o.format != formatText && !errors.As(err, &said) {
		code := codeOf(err)
		out := newJSONOutput(e.out, session.Header{Version: version(), Model: o.model, Host: o.host},
			o.format == formatJSON, func(*loop.Result) int { return code })
		out.event(loop.RunEnded{Result: &loop.Result{Stop: "not_started", Err: err}})
	}
	return err
}
