package main

import (
	"context"
	"errors"

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
		groups:     []group{runGroup, modelGroup, toolGroup, limitGroup, outputGroup, sessionGroup},
		run:        runRun,
		configured: true,
		graceful:   true,
	}
}

func runRun(ctx context.Context, e *env, o *options, args []string) error {
	chat := ctx
	ctx, stop := withTimeout(ctx, o) // for all that a run waits for
	defer stop()
	prompt, err := e.readPrompt(ctx, args, o.files)
	if err != nil {
		return e.failed(o, err)
	}
	if !o.dryRun && (o.interactive || prompt.Text == "" && e.interactive() && o.format == formatText) {
		return e.chat(chat, o, prompt)
	}
	if prompt.Text == "" {
		return e.failed(o, errNoPrompt)
	}
	j, err := e.newJob(ctx, o)
	if err != nil {
		return e.failed(o, err)
	}
	defer j.close()
	if o.dryRun {
		return j.dryRun(ctx, prompt)
	}
	_, code := j.play(ctx, prompt)
	if !o.quiet && e.out.discarded() {
		e.note("stdout is closed or the null device: the answer went nowhere")
	}
	if code != exitOK {
		return exit(code)
	}
	return nil
}

// failed reports an error from before the run. Whoever asked for JSON gets the
// result line all the same.
func (e *env) failed(o *options, err error) error {
	var said exit
	if o.format != "" && o.format != formatText && !errors.As(err, &said) {
		code := codeOf(err)
		out := newJSONOutput(e.out, session.Header{Version: version(), Model: o.model, Host: o.host},
			o.format == formatJSON, func(*loop.Result) int { return code })
		out.event(loop.RunEnded{Result: &loop.Result{Stop: "not_started", Err: err}})
	}
	return err
}
