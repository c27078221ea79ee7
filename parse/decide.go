package parse

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// release makes pieces of what is certain between pieces of text.
func (s *Scanner) release() {
	switch s.state {
	case stOver:
		s.add(pieceDrop, len(s.text), s.over)
	case stThink:
		s.add(pieceThink, cutRune(s.text, min(s.pos, s.thinkSafe())), dropNone)
	case stBlocked:
		end := s.tokenAtEnd()
		if i := endTokenAt(s.text[s.pos:]); i > 0 {
			end = min(end, s.pos+i)
		}
		s.add(pieceText, cutRune(s.text, end), dropNone)
	case stRest:
		s.add(pieceText, cutRune(s.text, s.tokenAtEnd()), dropNone)
	case stText:
		if !s.lead && s.prefix < 0 {
			s.add(pieceText, s.safe(), dropNone)
		}
	case stCandidate, stEscaped, stLineRest, stSpan, stPython:
		if s.prefix < 0 {
			s.add(pieceText, s.cand.start, dropNone)
		}
	case stFence:
		if s.prefix < 0 {
			s.add(pieceText, s.fence.body, dropNone)
		}
	case stNamed, stParams, stAction, stInput:
		if s.prefix < 0 {
			s.add(pieceText, s.named.start, dropNone)
		}
	case stHeader:
		if s.prefix < 0 {
			s.add(pieceText, s.pos, dropNone)
		}
	}
}

// tokenAtEnd is where a control token begins that ends the text, white space of
// maxLook bytes apart, or may become one that does; the end of the text if there
// is none.
func (s *Scanner) tokenAtEnd() int {
	blank := max(0, len(s.text)-maxLook)
	end := blank + len(strings.TrimRight(s.text[blank:], " \t\r\n"))
	if end == blank {
		return len(s.text)
	}
	from := min(end, max(s.done, end-maxTag))
	i := strings.LastIndexByte(s.text[from:end], '<')
	if i < 0 {
		return len(s.text)
	}
	i += from
	t, ok := lexTag(s.text[i:], s.eof)
	if ok == maybe || ok == yes && t.kind == markToken && t.bars && i+t.n == end {
		return i
	}
	return len(s.text)
}

// cutToken returns where the first control token stands in [from, end), or end.
func (s *Scanner) cutToken(from, end int) int {
	for i := from; i < end; i++ {
		j := strings.IndexByte(s.text[i:end], '<')
		if j < 0 {
			break
		}
		i += j
		if t, ok := lexTag(s.text[i:], true); ok == yes && t.kind == markToken && t.bars {
			return i
		}
	}
	return end
}

// thinkSafe is the offset up to which a thought cannot become a marker.
func (s *Scanner) thinkSafe() int {
	n := len(s.text)
	for i := 1; i <= 2 && i <= n; i++ { // the first bytes of ◁
		if s.text[n-i] == 0xE2 {
			return n - i
		}
	}
	return n
}

// safe is the offset up to which text cannot become a part of a construct.
func (s *Scanner) safe() int {
	p := cutRune(s.text, s.pos)
	line := s.ahead.start(s.text, len(s.text))
	if line < s.done || len(s.text)-line > maxTag {
		return p
	}
	rest := strings.TrimLeft(s.text[line:], " \t\r*_>")
	if rest == "" || mayBeLineWord(rest) || holdsRecipient(rest) {
		return min(p, line)
	}
	return p
}

// holdsRecipient reports whether a line may go on to name a recipient.
func holdsRecipient(line string) bool {
	if line == "" || strings.IndexByte("tcaf", line[0]) < 0 {
		return false
	}
	for _, w := range [...]string{"to=", "commentary to=", "analysis to=", "assistant to=", "assistantcommentary to=", "assistantanalysis to=", "functions."} {
		if strings.HasPrefix(line, w) || strings.HasPrefix(w, line) {
			return true
		}
	}
	return false
}

// tooLarge ends a reply that is larger than any that is read. What was not
// certain by then counts as nothing.
func (s *Scanner) tooLarge() {
	s.fault(ReasonTooLarge, len(s.text), "at most 1 GiB")
	s.dissolve()
	s.state, s.over, s.overAt = stOver, dropTooLarge, s.done
	s.add(pieceDrop, len(s.text), s.over)
	s.emit()
}

// end settles what is open where the text ends.
func (s *Scanner) end(f Finish) {
	n := len(s.text)
	switch s.state {
	case stOver:
		s.add(pieceDrop, n, s.over)
		return
	case stThink:
		s.add(pieceThink, n, dropNone)
		s.think.open = true
	case stCandidate:
		s.unclosed()
	case stEscaped:
		if s.reg.known(escapedName(s.text[s.cand.start:])) {
			s.cut("}")
		}
	case stNamed, stParams, stAction, stInput:
		s.cut("the arguments of a call")
	}
	if s.state == stOver {
		s.add(pieceDrop, n, s.over)
		return
	}
	if s.marker.on && s.marker.pending {
		s.emptyAtEnd(f)
	}
	if s.group.on {
		s.groupAtEnd()
	}
	if s.state == stBlocked || s.state == stRest || s.unread {
		i := s.tokenAtEnd()
		s.add(pieceText, i, dropNone)
		s.add(pieceDrop, len(strings.TrimRight(s.text, " \t\r\n")), dropToken)
	}
	if s.prefix >= 0 && s.called {
		s.prefix = -1
	}
	s.add(pieceText, n, dropNone)
	if s.mid.on {
		s.held = -1
	}
	s.lastRepeat()
}

// emptyAtEnd settles a hard marker that nothing follows. Behind calls the model
// only went on to a turn that is not its own.
func (s *Scanner) emptyAtEnd(f Finish) {
	m := s.marker
	if len(s.calls) > 0 && f != FinishLength {
		s.add(pieceText, m.start, dropNone)
		s.add(pieceDrop, len(s.text), dropTurn)
		s.prefix = -1
		return
	}
	s.cut("a call")
}

// cut notes a call that the text ends before.
func (s *Scanner) cut(expected string) {
	s.fault(ReasonTruncated, len(s.text), expected)
	s.prefix = -1
}

// unclosed judges a candidate that the text ends before.
func (s *Scanner) unclosed() {
	r, c := &s.read, &s.cand
	s.state = stText
	switch {
	case s.completeAtEnd():
		r.closeAll(RepairMissingCloser)
		s.pos = len(s.text)
		c.odd, c.open = true, true
		if r.tail != tailNone {
			s.pos = r.ended
		}
		s.finishCandidate()
		if s.state != stText {
			s.run()
		}
		return
	case s.fence.kind == fencePython && (r.exprs == 0 || r.failed()), c.tick > 0 && !r.sure:
	case s.showsData():
		s.unread = true
		s.swallowed(c.start, r.due())
	default:
		s.cut(r.due())
		s.prose(c.start)
		return
	}
	s.prose(c.start)
	s.lead = false
}

// swallowed notes a call in a hard marker at the start of a line, in data that
// opens at p and never closes: it was meant, and is no answer.
func (s *Scanner) swallowed(p int, due string) {
	for {
		i := strings.IndexByte(s.text[p:], '\n')
		if i < 0 {
			return
		}
		p = s.look(p + i + 1)
		if p == len(s.text) || s.text[p] != '<' && s.text[p] != '[' {
			continue
		}
		t, ok := lexMarker(s.text[p:], true)
		if ok != yes || t.kind != markHard || t.close {
			continue
		}
		rest := s.text[s.look(p+t.n):]
		if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") || s.reg.known(rest[:wordLen(rest)]) {
			s.fault(ReasonMalformed, p, due)
			return
		}
	}
}

// completeAtEnd reports whether only closers of the objects around complete
// arguments are missing.
func (s *Scanner) completeAtEnd() bool {
	r := &s.read
	if r.failed() || r.expect != expectAfter || r.token != tokenNone || len(r.stack) == 0 || !r.onlyObjects() {
		return false
	}
	if r.tail == tailOwes && len(r.stack) == 1 {
		return true
	}
	if s.cand.named || r.tail != tailNone {
		return false
	}
	for _, f := range r.stack[1:] { // the objects around hold a call, and do not belong to one
		if !isWrapperKey(r.key(f.keys - 1)) {
			return false
		}
	}
	f := r.stack[len(r.stack)-1]
	last := len(r.keys) - 1
	if last < f.keys || r.out[r.keys[last].val0] != '{' {
		return false
	}
	switch key := r.key(last); {
	case isArgsKey(key):
		return r.toolSeen || r.nameSeen != ""
	case isWrapperKey(key):
		return true
	default:
		return len(r.stack) == 1 && last == f.keys && s.reg.known(key)
	}
}

// due is what would have come next in an unclosed candidate.
func (r *reader) due() string {
	if r.token == tokenString {
		return "the end of a string"
	}
	return closers(r.top())
}

// showsData reports whether a completed part of an unclosed candidate shows
// that it is no call.
func (s *Scanner) showsData() bool {
	r, c := &s.read, &s.cand
	if c.place.hard && s.marker.on || c.named || c.expr {
		return false
	}
	if r.exprs > 0 || opensQuoted(s.text[c.start:], &s.reg) {
		return !c.first && !c.own && !c.place.marked()
	}
	if s.text[c.start] == '[' && len(r.stack) > 0 && len(r.parts) == 0 && r.firstKey() == "" && !r.toolSeen {
		return true
	}
	if r.nameSeen != "" && !r.toolSeen {
		return !s.reg.mayBecome(r.nameSeen)
	}
	if r.firstKey() == "" {
		return r.failed() || s.text[c.start] == '[' && !r.toolSeen
	}
	k := r.firstKey()
	return !(r.toolSeen || isNameKey(k) || isArgsKey(k) || isWrapperKey(k) || isEnvelopeKey(k) || s.reg.known(k))
}

// opensQuoted reports whether a list begins with a quoted call, or with a pair
// of a quoted name and an object.
func opensQuoted(list string, reg *registry) bool {
	t := strings.TrimLeft(list[:min(len(list), maxLook)], "[( \t\r\n")
	if len(t) == len(list) || t == "" || t[0] != '"' && t[0] != '\'' {
		return false
	}
	quote, t := t[:1], t[1:]
	if _, known := callName(t, reg); known {
		return true
	}
	n := wordLen(t)
	rest, ok := strings.CutPrefix(t[n:], quote)
	if !ok || !reg.known(t[:n]) {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ",")
	return ok && strings.HasPrefix(strings.TrimSpace(rest), "{")
}

// lastRepeat looks for repetition at the very end.
func (s *Scanner) lastRepeat() {
	n := len(s.text)
	if n-repeatWindow < s.floor || n < repeatWindow || len(s.faults) > 0 || s.think.open || !repeats(s.text[n-repeatWindow:]) {
		return
	}
	if len(s.calls) == 0 {
		s.fault(ReasonRepetition, n-repeatWindow, "text that goes on")
	}
}

// decide says what the reply is.
func (s *Scanner) decide(f Finish) Result {
	var r Result
	s.collect(&r)
	p := s.problem(f)
	switch {
	case p != nil:
		r.Outcome, r.Problem = Unparseable, p
		r.Void, r.Calls = r.Calls, nil
	case len(r.Calls) > 0:
		r.Outcome = Calls
	case len(s.answers) > 0:
		s.answer(&r)
	case s.think.open:
		r.fail(ReasonUnfinishedThinking, len(s.text), "the end of the thought")
	case strings.TrimSpace(r.Text) == "":
		r.fail(ReasonEmpty, len(s.text), "an answer or a call")
	default:
		r.Outcome = Final
		if s.final >= 0 {
			r.Text = strings.TrimSpace(r.Text)
		}
	}
	return r
}

func (r *Result) fail(reason Reason, at int, expected string) {
	r.Outcome, r.Void, r.Calls = Unparseable, r.Calls, nil
	r.Problem = &Problem{Reason: reason, Offset: at, Expected: expected, Found: "end of text"}
}

// answer takes the answer out of a pseudo call.
func (s *Scanner) answer(r *Result) {
	a := s.answers[len(s.answers)-1]
	if strings.TrimSpace(a.text) == "" {
		r.fail(ReasonEmpty, a.at, "an answer")
		return
	}
	r.Outcome, r.Text = Final, a.text
}

// problem returns why the reply must not be used, or nil.
func (s *Scanner) problem(f Finish) *Problem {
	faults := s.faults
	if len(faults) > 0 && faults[0].empty && s.callBefore(faults[0].start) {
		faults = nil // an invented turn behind calls
	}
	if f == FinishLength {
		if p := s.cutByLimit(); p != nil && (len(faults) == 0 || p.Offset <= faults[0].Offset) {
			return p
		}
	}
	if len(faults) > 0 {
		p := faults[0].Problem
		p.Found = excerpt(s.text, p.Offset)
		return &p
	}
	if s.final >= 0 && len(s.calls) > 0 && s.calls[len(s.calls)-1].call.Span.Start < s.final {
		return &Problem{Reason: ReasonReactConflict, Offset: s.final, Expected: "an answer or a call, not both",
			Found: excerpt(s.text, s.final)}
	}
	return nil
}

// excerpt is what stands at an offset, shortened for a message.
func excerpt(text string, at int) string {
	if at >= len(text) {
		return "end of text"
	}
	end := min(len(text), at+16)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.ToValidUTF8(text[at:max(end, at)], "\uFFFD")
}

func (s *Scanner) callBefore(at int) bool {
	return slices.ContainsFunc(s.calls, func(f found) bool { return f.call.Span.End <= at })
}

// cutByLimit returns the problem of a reply that an output limit ended: a call
// that stands only because the text ends, or one that touches the end.
func (s *Scanner) cutByLimit() *Problem {
	end := len(strings.TrimRight(s.text, " \t\r\n"))
	for _, f := range s.calls {
		if f.byEnd || f.end >= end {
			return &Problem{Reason: ReasonTruncated, Offset: len(s.text), Expected: "the end of the reply", Found: "end of text"}
		}
	}
	return nil
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

// Rest returns the events of what was held back until [Scanner.Close]. Call it
// after that only, once; the slice is valid until the next call.
func (s *Scanner) Rest() []Event {
	s.held = -1
	s.emit()
	return s.events
}
