package loop

import (
	"context"
	"fmt"

	"github.com/localagent/localagent/parse"
)

const (
	defaultWindow    = 4096 // tokens, when nobody says
	defaultMaxOutput = 4096 // tokens, at most a quarter of the window
)

// refit says that the prompt must be made shorter and asked with again.
var refit = &stopped{}

// maxOverflows is how often in a row a server may refuse a prompt as too long.
const maxOverflows = 3

// measureWindow asks the model how many tokens fit. The smaller of its number
// and the agent's counts.
func (r *run) measureWindow() {
	window := r.a.Window
	if m, ok := r.a.Model.(Windower); ok {
		// An error comes again, and better told, with the first request.
		if n, err := m.Window(r.ctx); err == nil && n > 0 && (window <= 0 || n < window) {
			window = n
		}
	}
	if window <= 0 {
		window = max(r.room.window, defaultWindow)
	}
	r.setWindow(window)
}

func (r *run) setWindow(window int) {
	reply := r.a.MaxOutput
	if reply <= 0 {
		reply = min(window/4, defaultMaxOutput)
	}
	r.room = room{window: window, reply: min(reply, window/2)}
	r.state.Window = window
}

// prompt is the conversation as it would be sent now.
func (r *run) prompt() []Message {
	ms := messages(r.system, r.t.Entries)
	r.state.Tokens = r.est.messages(ms)
	return ms
}

// fit makes the prompt fit: it compacts when it is time to, warns the model when
// little is left, and refuses what cannot fit.
func (r *run) fit() ([]Message, *stopped) {
	ms := r.prompt()
	if r.force || r.state.Tokens > r.room.share(compactAt) {
		if stop := r.compact(); stop != nil {
			return nil, stop
		}
		ms = r.prompt()
		r.force = false
	}
	if r.warnTokens() {
		ms = r.prompt()
	}
	if n := r.state.Tokens; n > r.room.prompt() {
		return nil, r.doesNotFit(n)
	}
	if most := r.a.MaxTokens; most > 0 && r.spent()+r.state.Tokens >= most {
		return nil, stopf(StopBudget, "%d of %d tokens are spent and the next request needs about %d", r.spent(), most, r.state.Tokens)
	}
	return ms, nil
}

func (r *run) spent() int { return r.state.Usage.PromptTokens + r.state.Usage.OutputTokens }

func (r *run) doesNotFit(n int) *stopped {
	stop := StopOverflow
	if r.state.Compactions > 0 {
		stop = StopUnfit
	}
	return stopf(stop, "the prompt has about %d tokens and %d fit (window %d, %d kept for the reply)",
		n, r.room.prompt(), r.room.window, r.room.reply)
}

// request is the first request of a step.
func (r *run) request(ms []Message) *Request {
	req := &Request{Messages: ms, MaxOutput: r.room.reply}
	if most := r.a.MaxTokens; most > 0 {
		req.MaxOutput = max(1, min(req.MaxOutput, most-r.spent()-r.state.Tokens))
	}
	if r.answer != nil && (r.askedAnswer || r.options.ExpectJSON) {
		req.Schema = r.a.Schema
	}
	return req
}

// warnTokens tells the model once that its context is nearly full.
func (r *run) warnTokens() bool {
	if r.warned.tokens || r.state.Tokens < r.room.share(warnAt) {
		return false
	}
	r.warned.tokens = true
	r.say(kindNote, fmt.Sprintf("Note: about %d of %d tokens of context are used. Be brief, ask only for what is still missing, and answer soon.", r.state.Tokens, r.room.prompt()))
	return true
}

// warnSteps tells the model once that few steps are left.
func (r *run) warnSteps() {
	most := r.a.maxSteps()
	if r.warned.steps || most < 4 || float64(r.state.Step) < warnAt*float64(most) {
		return
	}
	r.warned.steps = true
	r.say(kindNote, fmt.Sprintf("Note: %d of %d steps are used. Finish within the %s left.", r.state.Step, most, count(most-r.state.Step, "step")))
}

// compact makes room, cheapest tier first; see compact.go for the rules.
func (r *run) compact() *stopped {
	before := r.state.Tokens
	snipped := snip(r.t.Entries)
	keep := func(name string) bool {
		t := r.set.Lookup(name)
		return t != nil && t.Keep
	}
	excess := r.tokensOf(snipped) - r.room.share(compactTo)
	cleared := microcompact(snipped, keep, excess, r.est.text)
	full := r.force || before > r.room.share(summarizeAt)
	if full || before-r.tokensOf(cleared) >= r.room.share(compactGain) {
		r.apply("snip", snipped)
		r.apply("microcompact", cleared)
	}
	left := r.state.Tokens
	if full && (left > r.room.share(summarizeAt-compactGain) || left == before) {
		return r.summarize()
	}
	return nil
}

// tokensOf is the size of the prompt that the entries would make.
func (r *run) tokensOf(entries []Entry) int { return r.est.messages(messages(r.system, entries)) }

// apply puts compacted entries in the place of the conversation, if that made
// it shorter.
func (r *run) apply(tier string, entries []Entry) bool {
	before, after := r.state.Tokens, r.tokensOf(entries)
	if after >= before {
		return false
	}
	r.state.Compactions++
	r.state.Before, r.state.After = before, after
	r.state.Tokens = after
	r.emit(Compacted{Tier: tier, Before: before, After: after, Entries: entries})
	return true
}

// summarize replaces the older part of the conversation by a summary that the
// model writes. Two that did not help end the run.
func (r *run) summarize() *stopped {
	if left := r.state.Tokens; left <= r.room.prompt() && left <= r.tried+r.room.share(retryAt) {
		return nil
	}
	cut := older(r.t.Entries)
	if r.state.Tokens-r.tokensOf(summarized(r.t.Entries, cut, "")) < minGain {
		return nil // too little to gain
	}
	text, stop := r.summary(r.t.Entries[:cut])
	if stop != nil {
		return stop
	}
	entries := summarized(r.t.Entries, cut, text)
	if text != "" && r.state.Tokens-r.tokensOf(entries) >= minGain {
		r.echo.hear(text)
		r.apply("summarize", entries)
		r.tried = 0
		return nil
	}
	r.useless++
	r.tried = r.state.Tokens
	r.emit(Warned{"compaction", "a summary of the older messages did not save enough room"})
	if r.useless < maxUseless {
		return nil
	}
	return stopf(StopUnfit, "%d summaries did not make room: about %d tokens, %d fit", r.useless, r.state.Tokens, r.room.prompt())
}

// summary asks the model for a summary; "" when it wrote nothing of use.
func (r *run) summary(entries []Entry) (string, *stopped) {
	reply := max(r.room.window/8, 64)
	room := r.est.bytes(r.room.window-reply) - len(summaryPrompt) - 512
	req := &Request{Messages: summaryMessages(entries, max(room, 512)), MaxOutput: reply}
	var failed retries
	for {
		text, err := r.summarizeOnce(req)
		if err == nil {
			return text, nil
		}
		if r.ctx.Err() != nil {
			return "", cancelled(r.ctx, StopAbortedModel)
		}
		e := classify(err)
		pause, again := failed.next(e)
		switch {
		case e.Kind == TooLong:
			return "", nil
		case !again:
			return "", &stopped{stop: StopModelError, err: err, cure: e.Cure}
		}
		r.emit(ModelRetry{Retry{Attempt: failed.failed, Delay: pause, Err: err}})
		if sleep(r.ctx, pause) != nil {
			return "", cancelled(r.ctx, StopAbortedModel)
		}
	}
}

// summarizeOnce makes one attempt. Its text is read like any reply, so that
// thought does not become part of the summary; calls are none of it.
func (r *run) summarizeOnce(req *Request) (string, error) {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	s := parse.NewScanner(parse.Options{})
	rep := &reply{}
	for ch, err := range r.a.Model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		rep.raw.WriteString(ch.Text)
		s.Feed(ch.Text)
		if rep.raw.Len() > minReplyBytes {
			return "", nil
		}
		if ch.Done != nil {
			rep.done = ch.Done
			break
		}
	}
	if rep.done == nil {
		return "", ErrNoTerminal
	}
	r.use(req, rep)
	return s.Close(rep.done.Finish).Text, nil
}

// tooLong takes in that the server refused a prompt: its numbers, if it has
// any, and that there must be less.
func (r *run) tooLong(req *Request, e *ModelError) *stopped {
	r.overflow++
	r.est.learn(req.Messages, e.Prompt)
	if e.Window > 0 && e.Window < r.room.window {
		r.setWindow(e.Window)
	}
	if r.overflow >= maxOverflows {
		stop := r.doesNotFit(r.est.messages(req.Messages))
		stop.err = fmt.Errorf("%w: %w", stop.err, e)
		return stop
	}
	r.force = true
	return refit
}

// use counts what a reply has used. Where the server does not say, the estimate
// stands in.
func (r *run) use(req *Request, rep *reply) {
	if rep.done != nil {
		rep.usage = Usage{rep.done.Prompt, rep.done.Output, rep.done.Load, rep.done.Eval}
	}
	if rep.usage.PromptTokens == 0 {
		rep.usage.PromptTokens = r.est.messages(req.Messages)
	}
	if rep.usage.OutputTokens == 0 {
		rep.usage.OutputTokens = r.est.text(rep.raw.String()) + r.est.text(rep.thought.String())
	}
	u := &r.state.Usage
	u.PromptTokens += rep.usage.PromptTokens
	u.OutputTokens += rep.usage.OutputTokens
	u.Load += rep.usage.Load
	u.Eval += rep.usage.Eval
}

// account counts a reply and learns from the server's count of the prompt.
func (r *run) account(req *Request, rep *reply) {
	r.overflow = 0
	r.use(req, rep)
	if r.last.guess == 0 {
		r.measureAgain()
	}
	guess := r.est.messages(req.Messages)
	now := promptCount{guess: guess, appended: guess - r.last.guess, window: r.room.window}
	if rep.done != nil {
		now.counted = rep.done.Prompt
	}
	r.last = now
	switch {
	case now.counted <= 0:
	case now.cutSilently():
		r.promptWasCut(now)
	case now.appended >= guess || now.counted*3 > now.appended*2:
		r.est.learn(req.Messages, now.counted)
	}
}

// measureAgain asks for the window once the model is loaded: only then does a
// server know what it could really allocate.
func (r *run) measureAgain() {
	before := r.room.window
	if _, ok := r.a.Model.(Windower); !ok {
		return
	}
	r.measureWindow()
	if r.room.window < before {
		r.emit(Warned{"window", fmt.Sprintf("the server gives this model %d tokens of context, not %d", r.room.window, before)})
	}
}

// promptWasCut tells that the server left out part of the prompt, and makes
// sure that the next one is shorter.
func (r *run) promptWasCut(c promptCount) {
	r.force = true
	if c.counted >= minWindow {
		r.setWindow(min(r.room.window, c.counted))
	}
	if r.warned.cut {
		return
	}
	r.warned.cut = true
	r.emit(Warned{"prompt_cut", fmt.Sprintf("the server read %d of about %d prompt tokens: it silently cut the rest off; raise the context window or shorten the task", c.counted, c.guess)})
}

// minWindow is the smallest window that a count is taken as evidence for.
const minWindow = 1024
