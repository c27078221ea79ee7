package loop

import "fmt"

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

// setWindow takes a window, but for what a server has proved to be less.
func (r *run) setWindow(window int) {
	if r.proved > 0 {
		window = min(window, r.proved)
	}
	reply := r.a.MaxOutput
	if reply <= 0 {
		reply = min(window/4, defaultMaxOutput)
	}
	r.room = room{window: window, reply: min(reply, window/2)}
	r.state.Window = window
}

// tooLong takes in that the server refused a prompt: its numbers, if it has
// any, and that there must be less.
func (r *run) tooLong(req *Request, e *ModelError) *stopped {
	r.overflow++
	r.est.learn(req.Messages, e.Prompt)
	if e.Window > 0 {
		r.proved = e.Window
		r.setWindow(r.room.window)
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
	if d := rep.done; d != nil {
		rep.usage = Usage{max(d.Prompt, 0), max(d.Output, 0), d.Load, d.Eval}
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
	first := r.last.guess == 0
	now := promptCount{
		guess: r.est.messages(req.Messages), least: leastTokens(req.Messages),
		before: r.last.counted, window: r.room.window,
	}
	now.grown = now.guess - r.last.guess
	if rep.done != nil {
		now.counted = rep.done.Prompt
	}
	switch {
	case now.cutSilently():
		r.promptWasCut(now)
	case !now.onlyNew():
		r.est.learn(req.Messages, now.counted)
		now.guess = r.est.messages(req.Messages)
	}
	r.last = now
	if first {
		r.measureAgain()
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
// sure that the next one is shorter. When the count is stuck, that is what
// really fits.
func (r *run) promptWasCut(c promptCount) {
	if c.stuck() && c.counted >= minWindow {
		r.proved, r.force = c.counted, true
		r.setWindow(r.room.window)
	}
	if r.warned.cut {
		return
	}
	r.warned.cut, r.force = true, true
	text := fmt.Sprintf("the server read %d of about %d prompt tokens", c.counted, c.guess)
	if c.counted >= c.guess { // the guess was low, or the count means nothing
		text = fmt.Sprintf("the prompt filled the %d tokens that the server reads", min(c.counted, r.room.window))
	}
	r.emit(Warned{"prompt_cut", text + ": it silently cut the rest off; raise the context window or shorten the task"})
}

// minWindow is the smallest window that a count is taken as evidence for.
const minWindow = 1024
