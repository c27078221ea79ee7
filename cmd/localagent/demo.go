package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/builtin"
)

// The demonstration: what a model wrote, word for word, and the files that its
// calls read.
//
//go:embed demo
var demoFiles embed.FS

const demoPrompt = "How long are my notes? And how many shipped orders are there for each open one?"

func demoCommand() *command {
	return &command{
		name:    "demo",
		summary: "the whole story with recorded replies; needs no model",
		about: "Plays recorded replies of a model against real files in a temporary folder, with the loop and the tools that a real run has: " +
			"calls in prose and fences, a reply that is cut off and asked for again, a value that JSON has no word for, a call that repeats, and the answer.",
		run:      runDemo,
		graceful: true,
		alone:    true,
	}
}

func runDemo(ctx context.Context, e *env, _ *options, _ []string) error {
	dir, err := os.MkdirTemp("", "localagent-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyDemoFiles(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	replies, err := demoFiles.ReadFile("demo/replies.jsonl")
	if err != nil {
		return err
	}
	model, err := replay.Read(bytes.NewReader(replies))
	if err != nil {
		return err
	}
	set := tools.NewSet()
	for _, t := range builtin.All(builtin.Options{Root: root}) {
		if t.Class == tools.Read {
			set.Add(t)
		}
	}
	agent := &loop.Agent{Model: model, Tools: set, Guard: loop.Guard{Strikes: 1}}
	return tellDemo(ctx, e.out, agent)
}

// copyDemoFiles writes the files of the demonstration to dir.
func copyDemoFiles(dir string) error {
	return fs.WalkDir(demoFiles, "demo/files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path.Base(name)), b, 0o644)
	})
}

// tellDemo runs the agent and tells on s what happens and why.
func tellDemo(ctx context.Context, s *screen, agent *loop.Agent) error {
	s.put(s.fold("The model's text below was recorded. All the rest is real: the files, the tools, the loop.", 0, ""), "\n\n")
	d := &demoTeller{s: s}
	d.say("you", demoPrompt)
	var end *loop.Result
	for ev := range agent.Events(ctx, &loop.Transcript{}, loop.Prompt{Text: demoPrompt}) {
		d.event(ev)
		if e, ok := ev.(loop.RunEnded); ok {
			end = e.Result
		}
	}
	if end == nil || end.Stop == loop.StopFinal {
		return nil
	}
	s.put(stopText(end), "\n")
	return exit(exitOf(ctx, end))
}

// A demoTeller writes the events of the demonstration as a story.
type demoTeller struct{ s *screen }

func (d *demoTeller) event(ev loop.Event) {
	switch ev := ev.(type) {
	case loop.Replied:
		d.reply(ev)
	case loop.ToolEnded:
		d.result(ev)
	case loop.FreshRetry:
		d.say("loop", "not usable: "+describeProblem(ev)+".\nThe same request again, without this text in it.")
	case loop.RunEnded:
		d.s.put("\n", span{styleDim, runSummary(ev.Result.State)}, "\n")
	}
}

// runSummary is the last line: what the run took.
func runSummary(s loop.State) string {
	return fmt.Sprintf("%s, %s, %s", plural(s.Step, "step"), plural(s.Calls, "call"), pluralOf(s.Retries, "fresh retry", "fresh retries"))
}

// say writes text under a label.
func (d *demoTeller) say(label, text string) {
	const indent = "       "
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = d.s.fold(line, len(indent), indent)
	}
	d.s.put(span{styleBold, fmt.Sprintf("%-*s", len(indent), label)}, strings.Join(lines, "\n"+indent), "\n")
}

func (d *demoTeller) reply(ev loop.Replied) {
	d.s.put("\n")
	d.say("model", ev.Raw)
	if n := len(ev.Calls); n > 0 {
		d.say("read", fmt.Sprintf("%s in it", plural(n, "call")))
	} else if ev.Reading.Outcome == parse.Final {
		d.say("read", "no call in it: this is the answer")
	}
}

func (d *demoTeller) result(ev loop.ToolEnded) {
	r := ev.Result
	d.say("tool", strings.TrimRight(fmt.Sprintf("%s %s", r.Name, describeArgs(ev.Call.Args, 60)), " "))
	label := string(r.Status)
	if r.Status == tools.Repeated {
		label = "guard"
	}
	d.say(label, r.Text)
}
