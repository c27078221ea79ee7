package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
)

// Progress tells on stderr what a run does: one line for each tool call, notes
// as they come, and why the run ended when there is no answer. Quiet, it still
// tells what a script must know that has an answer: that something was cut off, or
// that calls were not run.
type progress struct {
	s       *screen
	quiet   bool
	verbose int
	all     bool // -y is given already

	thinking bool // show it
	midLine  bool // a thought stands on the line of the cursor
}

func (p *progress) event(ev loop.Event) {
	if end, ok := ev.(loop.RunEnded); ok {
		p.ended(end.Result)
		return
	}
	if p.quiet {
		if w, ok := ev.(loop.Warned); ok && w.Code == "prompt_cut" {
			p.note(w.Text)
		}
		return
	}
	if t, ok := ev.(loop.ThinkingDelta); ok {
		p.thought(t.Text)
		return
	}
	p.endThought()
	switch ev := ev.(type) {
	case loop.ToolEnded:
		p.call(ev.Call, ev.Result)
	case loop.FreshRetry:
		p.note("the reply could not be used (" + describeProblem(ev) + "); asking again" + retryHow(ev))
	case loop.ModelRetry:
		p.note(plainText(ev.Retry.Err) + "; trying again in " + shortTime(ev.Retry.Delay))
	case loop.Compacted:
		p.note(fmt.Sprintf("context compacted (%s): %s to %s tokens", ev.Tier, thousands(ev.Before), thousands(ev.After)))
	case loop.Warned:
		p.note(ev.Text)
	case loop.UserMessage:
		if p.verbose > 0 && ev.Kind == loop.KindNote {
			p.note("told the model: " + oneLine(ev.Text, 200))
		}
	case loop.Replied:
		p.replied(ev)
	case loop.StepEnded:
		p.step(ev.State)
	}
}

// thought shows what the model thinks, as it comes.
func (p *progress) thought(text string) {
	if p.thinking && text != "" {
		p.s.put(span{styleDim, text})
		p.midLine = !strings.HasSuffix(text, "\n")
	}
}

func (p *progress) endThought() {
	if p.midLine {
		p.s.raw("\n")
		p.midLine = false
	}
}

func retryHow(ev loop.FreshRetry) string {
	if ev.Schema {
		return ", this time bound to a schema"
	}
	return fmt.Sprintf(" (%d)", ev.Attempt)
}

func (p *progress) note(text string) { p.s.note(styleDim, text) }

// call is the line of a tool call.
func (p *progress) call(c loop.Call, r tools.Result) {
	room := 160
	if p.s.tty {
		room = p.s.width() - 1
	}
	mark, look := "●", styleGood
	if r.Status != tools.OK {
		look = styleError
	}
	args, result := share(room-textWidth(c.Name)-6, c.Args, r)
	if args != "" {
		args = " " + args
	}
	p.s.put(span{look, mark + " "}, span{styleName, c.Name}, args, span{styleDim, " → "}, result, "\n")
}

// share gives the arguments and the result of a call their part of the columns
// that are left: half for each, and what the one does not need to the other. On
// a narrow screen the result alone is shown.
func share(left int, args json.RawMessage, r tools.Result) (string, string) {
	const narrow = 32
	if left < narrow {
		return "", describeResult(r, max(10, left+1))
	}
	short := describeArgs(args, left/2)
	result := describeResult(r, left-textWidth(short))
	return describeArgs(args, left-textWidth(result)), result
}

func (p *progress) replied(ev loop.Replied) {
	if p.verbose >= 2 {
		p.s.put(span{styleDim, "reply: "}, ev.Raw, "\n")
	}
	if p.verbose == 0 {
		return
	}
	for _, c := range ev.Reading.Calls {
		for _, r := range c.Repairs {
			p.note(fmt.Sprintf("repaired in the call of %s: %s at byte %d", c.Name, r.Code, r.Offset))
		}
	}
}

func (p *progress) step(s loop.State) {
	if p.verbose == 0 {
		return
	}
	text := fmt.Sprintf("step %d: %s so far, %s of %s tokens", s.Step, plural(s.Calls, "call"), thousands(s.Tokens), thousands(s.Window))
	if s.Continue != "" {
		text += "; goes on: " + s.Continue
	}
	p.note(text)
}

// ended says what the answer alone does not.
func (p *progress) ended(r *loop.Result) {
	p.endThought()
	if r.Stop == loop.StopAbortedModel || r.Stop == loop.StopAbortedTools {
		p.s.fresh()
	}
	var lost *outputError // which is told of any command
	if r.Stop != loop.StopFinal && !errors.As(r.Err, &lost) {
		p.s.note(styleError, stopText(r))
	}
	if r.Cut {
		p.note("the answer was cut off by the output limit")
	}
	if r.Refused > 0 {
		cure := ": --allow names what may run, -y allows all"
		if p.all {
			cure = "; at a terminal a person can say yes"
		}
		p.note(plural(r.Refused, "call") + " needed approval and nobody could be asked" + cure)
	}
}

// stopText says why a run has no answer, and what to do. Of a run that the user
// cancelled the advice alone is enough.
func stopText(r *loop.Result) string {
	if r.Err == nil || r.Stop == loop.StopAbortedModel || r.Stop == loop.StopAbortedTools {
		return cmp.Or(r.Advice, string(r.Stop))
	}
	text := plainText(r.Err)
	if r.Stop == loop.StopTimeout {
		text = errTimeout.Error()
	}
	if r.Advice != "" {
		text += ". " + r.Advice
	}
	if r.Stop == loop.StopUnparseable && r.Raw != "" {
		text += " (-vv shows what it wrote, in a chat /last.)"
	}
	return text
}
