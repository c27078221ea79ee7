package loop

import (
	"errors"
	"strings"

	"github.com/localagent/localagent/parse"
)

// A reply is what a model wrote for one request, and its reading.
type reply struct {
	raw     strings.Builder
	thought strings.Builder // from the channel for it
	native  []parse.Call
	done    *Done // nil: the stream did not end by itself
	finish  parse.Finish

	size     int  // of all that came, in bytes
	tooLarge bool // more came than was asked for
	reading  parse.Result
	usage    Usage
}

// bytesPerOutputToken bounds what may come for a token of [Request].MaxOutput
// before a stream is cut off: a server that ignores the limit may go on for
// ever.
const (
	bytesPerOutputToken = 16
	minReplyBytes       = 64 << 10
)

// aborted records what had come of a reply when the run was cancelled.
func (r *run) aborted(rep *reply) {
	if text := parse.Restore(rep.reading.Text); text != "" {
		r.text = text
	}
	r.emit(Replied{
		Raw: rep.raw.String(), Finish: rep.finish, Reading: rep.reading,
		Aborted: true,
	})
}

// stream makes one attempt. The reply is never nil.
func (r *run) stream(req *Request) (*reply, error) {
	rep := &reply{}
	s := parse.NewScanner(r.options)
	var err error
	rep.finish, err = r.receive(req, rep, s)
	rep.reading = s.Close(rep.finish)
	if err == nil && rep.done == nil && rep.finish == parse.FinishUnknown {
		err = ErrNoTerminal
	}
	switch {
	case r.ctx.Err() != nil:
		r.aborted(rep)
		err = r.ctx.Err()
	case errors.Is(err, ErrNoTerminal) && repeats(rep.raw.String()):
		// Some servers end the stream without a word when one token repeats.
		rep.reading = unparseable(parse.Problem{Reason: parse.ReasonRepetition}, rep.reading)
		err = nil
	case err == nil && rep.reading.Outcome != parse.Unparseable:
		r.show(s.Rest()) // of an unusable reply it would only be a broken call
	}
	if err != nil {
		r.early.discard()
	}
	return rep, err
}

// receive reads the stream to its end, or until nothing that follows can
// matter. The finish is unknown when the stream just ended.
func (r *run) receive(req *Request, rep *reply, s *parse.Scanner) (parse.Finish, error) {
	most := max(minReplyBytes, req.MaxOutput*bytesPerOutputToken)
	for ch, err := range r.a.Model.Stream(r.ctx, req) {
		if err != nil {
			return parse.FinishUnknown, err
		}
		if r.ctx.Err() != nil {
			return parse.FinishUnknown, r.ctx.Err()
		}
		if r.chunk(rep, s, ch) {
			return parse.FinishStop, nil
		}
		if rep.size > most {
			rep.tooLarge = true
			return parse.FinishLength, nil
		}
		if ch.Done != nil {
			rep.done = ch.Done
			return ch.Done.Finish, nil
		}
	}
	return parse.FinishUnknown, nil
}

// chunk takes a piece of a reply. It reports whether generation may stop.
func (r *run) chunk(rep *reply, s *parse.Scanner, ch Chunk) (stop bool) {
	rep.size += ch.size()
	if ch.Loading {
		r.emit(Loading{})
	}
	if ch.Thinking != "" {
		rep.thought.WriteString(ch.Thinking)
		r.emit(ThinkingDelta{ch.Thinking})
	}
	rep.native = append(rep.native, ch.Calls...)
	if ch.Text == "" {
		return false
	}
	rep.raw.WriteString(ch.Text)
	return r.show(s.Feed(ch.Text))
}

// size bounds a stream, in bytes: one that brings nothing for ever has a limit
// too.
func (ch *Chunk) size() int {
	n := 1 + len(ch.Text) + len(ch.Thinking)
	for _, c := range ch.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}

// show passes on what the scanner read. It reports whether nothing that follows
// can matter.
func (r *run) show(read []parse.Event) (stop bool) {
	for _, ev := range read {
		switch ev.Kind {
		case parse.EventText:
			r.emit(TextDelta{parse.Restore(ev.Text)})
		case parse.EventThinking:
			r.emit(ThinkingDelta{ev.Text})
		case parse.EventRetract:
			r.early.discard()
			r.emit(Retracted{})
		case parse.EventCall:
			r.startEarly(ev.Index, ev.Call)
		case parse.EventStop:
			stop = true
		}
	}
	return stop
}

// repeats reports whether a text ends in one short unit over and over.
func repeats(s string) bool {
	const most, times = 16, 20
	for unit := 1; unit <= most && unit*times <= len(s); unit++ {
		tail := s[len(s)-unit*times:]
		if strings.TrimSpace(tail) != "" && tail == strings.Repeat(tail[:unit], times) {
			return true
		}
	}
	return false
}
