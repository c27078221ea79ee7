package parse

import (
	"slices"
	"strings"
)

// fault is a reason not to run the reply. Found is filled in last, when all of the
// text is here.
type fault struct {
	Problem
	empty bool // a marker that is perhaps empty: after calls, an invented turn
	start int  // of that marker
	body  int  // what stands behind it, if a name may stand there; or 0
}

func (f *fault) is() bool { return f.Reason != "" }

// set sets f to a further fault: the first one stays.
func (f *fault) set(further fault) {
	if !f.is() {
		*f = further
	}
}

// answer is the text of a call of a pseudo tool, which stands at at.
type answer struct {
	is   bool
	at   int
	text string
}

// decide says what the reply is, once all of it has been read.
func (s *Scanner) decide(f Finish) Result {
	var r Result
	s.collect(&r)
	s.lostLists()
	p := s.problem(f, r.Calls)
	switch {
	case p != nil:
		r.Outcome, r.Problem = Unparseable, p
		r.Void, r.Calls = r.Calls, nil
	case len(r.Calls) > 0:
		r.Outcome = Calls
	case s.answer.is:
		s.takeAnswer(&r)
	case s.think.open:
		r.fail(ReasonUnfinishedThinking, len(s.text), "the end of the thought")
	case strings.TrimSpace(r.Text) == "":
		r.fail(ReasonEmpty, len(s.text), "an answer or a call")
	default:
		r.Outcome = Final
		if s.finalAt >= 0 {
			r.Text = strings.TrimSpace(r.Text)
		}
	}
	return r
}

// fail makes the reply Unparseable, where the text ends too early.
func (r *Result) fail(reason Reason, at int, expected string) {
	r.Outcome, r.Void, r.Calls = Unparseable, r.Calls, nil
	r.Problem = &Problem{Reason: reason, Offset: at, Expected: expected, Found: "end of text"}
}

// takeAnswer takes the answer out of a pseudo call, or from around an empty one.
func (s *Scanner) takeAnswer(r *Result) {
	a := &s.answer
	if strings.TrimSpace(a.text) == "" {
		if hasWord(r.Text) {
			r.Outcome = Final // it stands around a call that says "no tool"
			return
		}
		r.fail(ReasonEmpty, a.at, "an answer")
		return
	}
	r.Outcome, r.Text = Final, a.text
}

// problem returns why the reply, with these calls, must not be used, or nil.
func (s *Scanner) problem(f Finish, calls []Call) *Problem {
	fault := s.atFault
	if fault.is() && s.isEmpty(fault) && s.callBefore(fault.start) {
		fault.Reason = "" // an invented turn behind calls
	}
	if f == FinishLength {
		if p := s.cutByLimit(); p != nil && (!fault.is() || p.Offset <= fault.Offset) {
			return p
		}
	}
	if fault.is() {
		p := fault.Problem
		p.Found = excerpt(s.text, p.Offset)
		return &p
	}
	if s.finalAt >= 0 && len(calls) > 0 && calls[len(calls)-1].Span.Start < s.finalAt {
		return &Problem{Reason: ReasonReactConflict, Offset: s.finalAt, Expected: "an answer or a call, not both",
			Found: excerpt(s.text, s.finalAt)}
	}
	return nil
}

// excerpt is what stands at an offset, shortened for a message.
func excerpt(text string, at int) string {
	if at >= len(text) {
		return "end of text"
	}
	end := len(text)
	if end > at+16 {
		end = cutRune(text, at+16)
	}
	return strings.ToValidUTF8(text[at:end], "\uFFFD")
}

// callBefore reports whether a call ends before at.
func (s *Scanner) callBefore(at int) bool {
	return slices.ContainsFunc(s.calls, func(f found) bool { return f.call.Span.End <= at })
}

// cutByLimit returns the problem of a reply that an output limit ended: a call
// that stands only because the text ends, or one that touches the end.
func (s *Scanner) cutByLimit() *Problem {
	end := len(strings.TrimRight(s.text, " \t\r\n,;")) // a separator announces another call
	cutShort := func(expected string) *Problem {
		return &Problem{Reason: ReasonTruncated, Offset: len(s.text), Expected: expected, Found: "end of text"}
	}
	for _, f := range s.calls {
		if f.byEnd || f.end >= end {
			return cutShort("the end of the reply")
		}
	}
	if len(s.calls) > 0 && s.endsInOpening() {
		return cutShort("another call")
	}
	return nil
}

// endsInOpening reports whether the text ends where a call was about to begin: in a
// fence that may hold calls and holds nothing yet, or on the line that opens a fence; in
// a marker, a list or a header of harmony; on a line that begins as one that names a call.
func (s *Scanner) endsInOpening() bool {
	line := s.lineStart(len(s.text))
	switch {
	case s.fence.kind == fenceCalls && !s.fence.used && !s.fence.text, s.openHeader,
		s.fence.kind != fenceNone && s.fence.line == line,
		s.beginsCall(s.text[max(line, s.calls[len(s.calls)-1].end):]):
		return true
	}
	from := max(0, len(s.text)-maxTag)
	i := strings.LastIndexAny(s.text[from:], "<[")
	if i < 0 {
		return false
	}
	if s.text[from+i] == '[' && s.begunName(from+i+1) {
		return true
	}
	var t tag
	return lexMarker(&t, s.text[from+i:], false) == maybe
}

// beginsCall reports whether a line that the text ends in may go on to name a call
// without a bracket or a tag.
func (s *Scanner) beginsCall(line string) bool {
	line = strings.TrimLeft(line, " \t*,;")
	if line == "" || len(line) > maxTag {
		return false
	}
	if name, ok := strings.CutPrefix(line, ">>>"); ok {
		return s.reg.mayBecome(name)
	}
	for _, opening := range [...]string{"Action:", "✿FUNCTION✿:", "functools[", ">>>", "```"} {
		if strings.HasPrefix(opening, line) && (opening != "```" || s.fence.kind == fenceNone) {
			return true
		}
	}
	l, _ := lexLabel(line)
	return l == labelAction || l == labelFunction || holdsRecipient(line) && strings.Contains(line, "to=")
}

// collect puts the result together from the pieces.
func (s *Scanner) collect(r *Result) {
	n := s.count()
	if n == 1 && s.last.kind == pieceText {
		r.Text = s.text
		return
	}
	var many, size [pieceHeld + 1]int
	for i := range n {
		p := s.at(i)
		many[p.kind]++
		size[p.kind] += p.end - p.start
	}
	text := joined{n: many[pieceText] + many[pieceHeld], size: size[pieceText] + size[pieceHeld]}
	think := joined{n: many[pieceThink], size: size[pieceThink]}
	r.Dropped, r.Calls = slices.Grow(r.Dropped, many[pieceDrop]), slices.Grow(r.Calls, many[pieceCall])
	for i := range n {
		switch p := s.at(i); p.kind {
		case pieceText, pieceHeld:
			text.add(s.text[p.start:p.end])
		case pieceThink:
			think.add(s.text[p.start:p.end])
		case pieceDrop:
			r.Dropped = append(r.Dropped, Dropped{Span{p.start, p.end}, p.reason.String()})
		case pieceCall:
			r.Calls = append(r.Calls, s.calls[p.call].call)
		}
	}
	r.Text, r.Thinking = text.String(), think.String()
	if len(r.Calls) > 0 && strings.TrimSpace(r.Text) == "" {
		r.Text = ""
	}
}

// joined puts n strings of size bytes together; a lone one is not copied.
type joined struct {
	n, size int
	lone    string
	b       strings.Builder
}

func (j *joined) add(s string) {
	if j.n == 1 {
		j.lone = s
		return
	}
	j.b.Grow(j.size) // for this one and what is still to come
	j.b.WriteString(s)
	j.size -= len(s)
}

func (j *joined) String() string {
	if j.n == 1 {
		return j.lone
	}
	return j.b.String()
}

// fault notes a reason not to run the reply.
func (s *Scanner) fault(reason Reason, at int, expected string) {
	s.atFault.set(fault{Problem: Problem{Reason: reason, Offset: at, Expected: expected}})
}
