package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// follow does what follows from a reply; nil when another step does.
func (r *run) follow(rep *reply, m move) *stopped {
	switch m {
	case moveAct:
		return r.followCalls(rep)
	case moveNoRest:
		return r.final(joinPieces(r.pieces), true)
	case moveUnknown:
		return r.finalJSON(rep)
	}
	r.replied(rep, nil)
	text := parse.Restore(rep.reading.Text)
	switch m {
	case moveGoOn:
		r.pieces = append(r.pieces, text)
		r.text = joinPieces(r.pieces)
		r.state.Cuts++
		return r.goOn(continueCut, noteGoOn)
	case moveNudge:
		r.nudged = true
		return r.goOn(continueNudge, noteAnnounced)
	case moveSchema:
		r.askedAnswer = true
		_, err := r.answer.check(text)
		return r.goOn(continueNudge, answerReminder(string(r.a.Schema), err))
	}
	if rep.finish == parse.FinishLength {
		r.state.Cuts++
	}
	if r.answer != nil {
		text, _ = r.answer.check(text) // it fits, or the move were another
	}
	return r.final(joinPieces(append(r.pieces, text)), rep.finish == parse.FinishLength)
}

// goOn lets another step follow, with a note for the model.
func (r *run) goOn(why, note string) *stopped {
	r.state.Continue = why
	r.say(KindNote, note)
	return nil
}

// final is the end with an answer, unless the user has more to say.
func (r *run) final(text string, cut bool) *stopped {
	r.text, r.cut = text, cut
	if r.stepsLeft() && r.ctx.Err() == nil {
		if r.steer() {
			r.state.Continue = continueSteer
			return nil
		}
		if text, ok := r.a.Queue.next(); ok {
			r.state.Continue = continueFollowUp
			r.say(KindTask, parse.Defuse(text))
			return nil
		}
	}
	return &stopped{stop: StopFinal}
}

// finalJSON is the end with calls that turned out to be the answer. Those that
// came beside the text are written as text.
func (r *run) finalJSON(rep *reply) *stopped {
	text := rep.json()
	if strings.TrimSpace(text) == "" {
		text = strings.TrimSpace(renderNative(r.calls(rep.reading.Calls)))
		rep.reading = answerOf(text, rep.reading)
	}
	r.replied(rep, nil)
	return r.final(parse.Restore(text), false)
}

// replied records a usable reply.
func (r *run) replied(rep *reply, calls []Call) {
	r.emit(Replied{
		Raw: rep.raw.String(), Finish: rep.finish, Reading: rep.reading,
		Usage: rep.usage, Calls: calls,
	})
}

// followCalls runs the calls of a reply, under the eyes of the guard.
func (r *run) followCalls(rep *reply) *stopped {
	calls := r.calls(rep.reading.Calls)
	r.accept(rep, calls)
	volatile := r.volatile(calls)
	switch r.guard.before(signature(calls), volatile) {
	case rulingWarn:
		r.warnRepeat(calls)
		return r.repeat(calls)
	case rulingStop:
		r.repeat(calls)
		return r.guardStop(calls)
	}
	stop := r.act(calls)
	if stop != nil || !volatile {
		return stop
	}
	switch r.guard.after(digestOf(r.results)) {
	case rulingWarn:
		r.warnRepeat(calls)
		r.say(KindNote, noteVolatile)
	case rulingStop:
		return r.guardStop(calls)
	}
	return nil
}

// accept records a reply with calls, and what follows from it for the state.
func (r *run) accept(rep *reply, calls []Call) {
	r.pieces = nil
	r.unknown = r.unknownSignature(calls)
	if text := strings.TrimSpace(rep.reading.Text); text != "" {
		r.text = parse.Restore(text)
	}
	for _, c := range calls {
		if c.Repaired {
			r.state.Repairs++
		}
	}
	r.replied(rep, calls)
	r.state.Continue = continueCalls
	r.state.Tokens += r.est.text(rep.raw.String())
}

// repeat answers calls that the guard does not run.
func (r *run) repeat(calls []Call) (stop *stopped) {
	for _, c := range calls {
		j := &job{call: c}
		j.end(tools.Repeated, textRepeated)
		if s := r.finish(j); stop == nil {
			stop = s
		}
	}
	return stop
}

func (r *run) warnRepeat(calls []Call) {
	r.emit(Warned{"loop_guard", fmt.Sprintf("the model repeats its call of %s; it was told so", callNames(calls))})
}

func (r *run) guardStop(calls []Call) *stopped {
	return stopf(StopLoopGuard, "the model repeats the same call of %s", callNames(calls))
}

// volatile reports whether a call of the step may give another result when it
// is repeated.
func (r *run) volatile(calls []Call) bool {
	return slices.ContainsFunc(calls, func(c Call) bool {
		t := r.set.Lookup(c.Name)
		return t != nil && t.Volatile
	})
}

// unknownSignature is the signature of calls of which none names a tool, else
// "".
func (r *run) unknownSignature(calls []Call) string {
	for _, c := range calls {
		if r.set.Lookup(c.Name) != nil {
			return ""
		}
	}
	return signature(calls)
}

// unknownAgain reports whether the calls are those of the step before and name
// no tool.
func (r *run) unknownAgain(read []parse.Call) bool {
	return r.unknown != "" && r.unknown == r.unknownSignature(r.calls(read))
}

func callNames(calls []Call) string {
	var names []string
	for _, c := range calls {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}
