package loop

import "fmt"

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
	_, stop := r.afford(r.state.Tokens, 1)
	return ms, stop
}

// admit refuses a task that does not fit even alone. It does not join the
// conversation, which can go on without it.
func (r *run) admit(task string) *stopped {
	alone := r.tokensOf([]Entry{{Role: User, Kind: KindTask, Text: task}})
	if alone <= r.room.prompt() {
		return nil
	}
	r.state.Tokens = alone
	return r.doesNotFit(alone)
}

// afford is how many of the tokens of a reply the budget of the run has left
// behind a prompt, at least one.
func (r *run) afford(prompt, reply int) (int, *stopped) {
	most, spent := r.a.MaxTokens, r.state.Usage.PromptTokens+r.state.Usage.OutputTokens
	if most <= 0 {
		return reply, nil
	}
	if spent+prompt >= most {
		return 0, stopf(StopBudget, "%d of %d tokens are spent and the next request needs about %d", spent, most, prompt)
	}
	return min(reply, most-spent-prompt), nil
}

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
	req := &Request{Messages: ms}
	req.MaxOutput, _ = r.afford(r.state.Tokens, r.room.reply) // fit saw to it
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
	r.say(KindNote, fmt.Sprintf("Note: about %d of %d tokens of context are used. Be brief, ask only for what is still missing, and answer soon.", r.state.Tokens, r.room.prompt()))
	return true
}

// warnSteps tells the model once that few steps are left.
func (r *run) warnSteps() {
	most := r.a.maxSteps()
	if r.warned.steps || most < 4 || float64(r.state.Step) < warnAt*float64(most) {
		return
	}
	r.warned.steps = true
	r.say(KindNote, fmt.Sprintf("Note: %d of %d steps are used. Finish within the %s left.", r.state.Step, most, count(most-r.state.Step, "step")))
}

// compact makes room, cheapest tier first; see compact.go for the rules. Only
// when the prompt does not fit otherwise it leaves less than usual alone.
func (r *run) compact() *stopped {
	stop := r.compactBut(usual)
	if stop == nil && r.state.Tokens > r.room.prompt() {
		stop = r.compactBut(bare)
	}
	return stop
}

func (r *run) compactBut(n newest) *stopped {
	before := r.state.Tokens
	looks := func(name string) bool { return !harmful(r.set.Lookup(name)) }
	keep := func(name string) bool {
		t := r.set.Lookup(name)
		return t != nil && t.Keep
	}
	snipped := snip(r.t.Entries, n, looks)
	excess := r.tokensOf(snipped) - r.room.share(compactTo)
	cleared := microcompact(snipped, n, keep, excess, r.est.text)
	full := r.force || before > r.room.share(summarizeAt)
	if full || before-r.tokensOf(cleared) >= r.room.share(compactGain) {
		r.apply("snip", snipped)
		r.apply("microcompact", cleared)
	}
	left := r.state.Tokens
	if full && (left > r.room.share(summarizeAt-compactGain) || left == before) {
		return r.summarize(n)
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
