package parse

import (
	"slices"
	"strings"
)

// candidate is what is known of the candidate at hand.
type candidate struct {
	start, end int
	place      place
	verdict    verdict // what it is, once it has been read

	// What stands before it.
	first       bool // nothing, in the reply, the fence or the marker
	own         bool // nothing but a bullet or a label on its line
	assigned    bool // a quote behind an equals sign: it is a string in program text
	tick        run  // the run that opens the code span it stands in, of length 0 for none
	called      bool // a call, directly
	argsMayGoOn bool // and that call's arguments may go on

	// How it is written.
	expr      bool     // as a call expression without a list around it
	named     bool     // as the arguments of a call whose name was read before
	nameApart bool     // the name of its call stands apart from the arguments
	open      bool     // the text ended before its last closers
	byEnd     bool     // its calls count only if the text ends here
	rest      lineRest // what stands behind it on its line
}

// candidate begins a candidate at p. The caller begins the reader there, too.
func (s *Scanner) candidate(p int) *candidate {
	s.read.text = s.text
	if s.prefix < 0 {
		s.add(pieceText, p, dropNone)
	}
	c := &s.cand
	*c = candidate{}
	c.start, c.place = p, s.place(p)
	c.called = s.lead && s.called
	c.assigned = !s.lead && isAssigned(s.text[:p])
	c.first = s.lead && (s.onlyCalls || s.fence.kind != fenceNone || s.marker.on)
	if s.tick.at+s.tick.n == p {
		c.tick = s.tick
	}
	if p >= s.here.at { // else it began lines ago
		c.own = p < len(s.text) && s.text[p] != '{' && (s.called && s.wasList || s.ownLine(p))
		c.byEnd = s.oddLine >= 0 && s.oddLine == s.lineStart(p)
	}
	s.state = stCandidate
	return c
}

// place says where a candidate at p stands.
func (s *Scanner) place(p int) place {
	hard := s.lead && (s.marker.on || s.impliedTag && p < len(s.text) && (s.text[p] == '{' || s.text[p] == '['))
	return place{
		hard:       hard,
		fence:      s.fence.kind == fenceCalls,
		maybeWhole: s.onlyCalls && s.lead && s.fence.kind == fenceNone,
	}
}

// inCandidate goes on reading the candidate at hand.
func (s *Scanner) inCandidate() bool {
	r := &s.read
	r.text, r.eof = s.text, s.eof
	st := r.run()
	if st == readMore {
		s.pos = len(s.text)
		return s.awaitClosers()
	}
	s.pos = r.pos
	s.state = stText
	if st == readNot {
		return s.pass(s.cand.start, max(r.pos, s.cand.start+1))
	}
	s.floorAt(r.pos)
	if st == readCut {
		r.closeAll(RepairMissingCloser)
	}
	return s.finishCandidate()
}

// finishCandidate says what the candidate is that was read to its end.
func (s *Scanner) finishCandidate() bool {
	c := &s.cand
	c.end = s.pos
	switch {
	case c.named:
		return s.finishNamed()
	case s.quotes('{'):
		c.expr = false
		quoted, _ := oneElement(string(s.read.out))
		return s.finishDoubled(quoted)
	case s.quotes('['):
		c.verdict = s.quotedList()
	case !s.belongsToCall() && s.plainData():
		return s.reject()
	default:
		c.verdict = s.judge()
	}
	if c.verdict.kind == isData && s.belongsToCall() {
		c.verdict = faulty(ReasonAmbiguous, c.start, "one object of arguments")
	}
	return s.weigh()
}

// quotes reports whether the candidate is one string, which begins with open.
func (s *Scanner) quotes(open byte) bool {
	return s.read.single && !s.read.failed() && s.text[s.cand.start+runeLen(s.text[s.cand.start:])] == open
}

// weigh decides by where the candidate stands whether what it means counts.
func (s *Scanner) weigh() bool {
	c := &s.cand
	if c.verdict.kind == isData {
		if c.place.hard && s.marker.on && s.marker.pending {
			s.prose(c.start)
		}
		return s.reject()
	}
	if c.assigned || s.o.ExpectJSON && !c.place.marked() || s.finalAt >= 0 && !c.place.hard {
		return s.reject() // it is the answer, or a part of it
	}
	if s.fence.inline && s.lineStart(c.end) == s.fence.line {
		c.tick = s.fence.run
	}
	if c.tick.n > 0 {
		s.state = stSpan
		return true
	}
	if s.fence.kind == fencePython {
		return s.endsPython()
	}
	if s.expression() && !c.place.marked() && !(c.first && !s.inTicks()) && !c.expr {
		if !c.own || s.mentionsOn(c.start) || s.joinsMention(c.start) {
			return s.mention()
		}
		s.state = stLineRest
		return true
	}
	return s.accept()
}

// expression reports whether the candidate is a list of call expressions, of
// pairs or of quoted calls: in prose these stand on lines of their own.
func (s *Scanner) expression() bool {
	if s.cand.verdict.kind == isFault && s.text[s.cand.start] == '[' && s.read.exprs+s.read.quoted > 0 || s.read.exprs > 0 {
		return true
	}
	return slices.ContainsFunc(s.cand.verdict.calls, func(f found) bool { return f.expr })
}

// inTicks reports whether the candidate is a list of calls in code spans. Markdown also
// mentions tools so, in links above all: these calls count only on lines of their own
// and with literal arguments, even where a reply begins.
func (s *Scanner) inTicks() bool {
	p := s.lookPast(s.cand.start + 1)
	return s.text[s.cand.start] == '[' && p < len(s.text) && s.text[p] == '`'
}

// judge says what the candidate means.
func (s *Scanner) judge() verdict {
	r, c := &s.read, &s.cand
	if r.failed() {
		return s.unreadable()
	}
	j := judge{reg: &s.reg, c: r.canonical(), parts: r.parts, outer: r.keys[:r.outer], span: Span{c.start, c.end}, place: c.place}
	j.out, j.text, j.noSchema, j.open, j.room = r.out, s.text, !r.schema, c.open, &s.room
	s.room.full = false
	v := j.value(0, 0)
	if j.given {
		r.out = nil
	}
	if v.kind == isData && c.place.hard && !c.expr && s.marker.on && !s.marker.list {
		return faulty(ReasonMalformed, c.start, "a call")
	}
	s.describe(v.calls)
	return v
}

// describe completes calls with what the scanner knows: the repairs of their
// spelling and the dialect of their marker.
func (s *Scanner) describe(calls []found) {
	r, c := &s.read, &s.cand
	for _, rep := range r.repairs {
		i := len(calls) - 1
		for i > 0 && rep.Offset < calls[i].call.Span.Start {
			i--
		}
		if i >= 0 { // between calls it belongs to the one before
			calls[i].call.Repairs = append(calls[i].call.Repairs, rep)
		}
	}
	for i := range calls {
		f := &calls[i]
		slices.SortStableFunc(f.call.Repairs, func(a, b Repair) int { return a.Offset - b.Offset })
		if r.exprs > 0 && f.call.Dialect == DialectJSON {
			f.call.Dialect = DialectPythonic
			if c.expr {
				f.call.Dialect = DialectExpression
			}
		}
		f.call.Dialect = s.dialect(f.call.Dialect)
	}
}

// dialect names the dialect of a call that is written as d where it stands.
func (s *Scanner) dialect(d Dialect) Dialect {
	c := &s.cand
	switch {
	case s.soft && s.softDialect != "":
		return s.softDialect
	case s.marker.on && s.marker.dialect != "":
		return s.marker.dialect
	case c.place.hard && d == DialectJSON:
		return DialectHermes
	}
	return d
}

// reject makes text of the candidate.
func (s *Scanner) reject() bool {
	s.prose(s.cand.start)
	s.lead = false
	return true
}

// accept takes the candidate as what it is: calls, a fault, an answer.
func (s *Scanner) accept() bool {
	c := &s.cand
	s.bareExpr = c.expr
	switch c.verdict.kind {
	case isFault:
		if s.wasList && s.onlyCalls {
			c.verdict.fault.Reason = ReasonMalformed // a second list that cannot be read
		}
		s.acceptFault(c.verdict.fault, c.tentative() || c.verdict.ifWhole)
		return true
	case isAnswer:
		s.acceptAnswer(c.verdict.answer)
		return true
	}
	tent, list := c.tentative(), s.expression()
	for i := range c.verdict.calls {
		f := &c.verdict.calls[i]
		f.end, f.sure = c.end, !tent && !f.ifWhole && !list
		f.byEnd = f.byEnd || c.byEnd || s.mid.on || s.openHeader || c.expr && s.fence.kind == fenceNone && !c.place.hard
		f.call.Marked = f.call.Marked || s.fence.kind == fencePython || c.expr && (tent || c.place.marked())
		s.addFound(f, i == 0, tent || f.ifWhole)
	}
	if list && !c.expr && c.tick.n == 0 && !c.place.hard && s.fence.kind == fenceNone {
		s.ownList = true
	}
	s.endCalls(c.end)
	s.wasList, s.wasExpr, s.argsMayGoOn = s.text[c.start] == '[', list, false
	s.marker.list = s.marker.on && s.wasList && !c.nameApart
	return true
}

// tentative reports whether the candidate's calls depend on what else stands in
// the reply or the fence.
func (c *candidate) tentative() bool { return c.expr && !c.place.hard }

// addFound takes one call; first says that it is the first of its candidate.
func (s *Scanner) addFound(f *found, first, tent bool) {
	from := f.call.Span.Start
	begin, reason := min(from, max(s.cand.start, s.done)), dropNone
	if first && s.prefix >= 0 && s.prefix < from {
		begin, reason = s.prefix, s.gapReason()
	}
	if first {
		s.add(pieceText, begin, dropNone)
	}
	if tent {
		s.beginGroup(from, f.end)
		s.hold(s.count()) // with what stands around the call
	}
	if reason != dropNone {
		s.add(pieceDrop, min(from, max(begin, s.cand.start)), reason)
	}
	s.add(pieceDrop, from, dropWrapper)
	s.addCall(*f, f.call.Span.End, tent || s.group.on)
	s.holdMiddle()
	s.countEqual()
}

// gapReason names what stands between the text and a call.
func (s *Scanner) gapReason() dropReason {
	switch {
	case s.marker.on || s.impliedTag || s.soft:
		return dropMarker
	case s.fence.kind != fenceNone:
		return dropFence
	case s.called:
		return dropSeparator
	}
	return dropMarker
}

// endCalls notes that a candidate's calls end, the candidate at end.
func (s *Scanner) endCalls(end int) {
	s.add(pieceDrop, end, dropWrapper)
	s.pos, s.callEnd = max(s.pos, end), end
	s.prefix = -1
	s.lead, s.called, s.impliedTag = true, true, false
	s.shutByTag, s.plainString = false, false
	s.fence.used = s.fence.kind != fenceNone
	if s.marker.on {
		s.marker.pending = false
	}
	if s.equal > maxEqual {
		s.tooManyEqual()
	}
}

// acceptFault takes a fault; tent says that it counts only if the candidate is
// all there is.
func (s *Scanner) acceptFault(p Problem, tent bool) {
	f := fault{Problem: p}
	if s.marker.on && s.marker.pending {
		f.empty, f.start = s.nameless(), s.marker.start
		s.marker.pending = false
	}
	if tent && s.fence.kind != fenceOther {
		s.beginGroup(s.cand.start, s.cand.end)
		s.group.atFault.set(f)
		s.lead, s.called, s.callEnd = true, true, s.cand.end
		s.hold(s.count())
		s.add(pieceText, s.cand.end, dropNone)
		s.prefix = -1
		return
	}
	s.atFault.set(f)
	s.add(pieceText, s.cand.end, dropNone)
	s.prefix = -1
	s.lead, s.called, s.onlyCalls = true, false, false
}

// acceptAnswer takes the answer that a pseudo tool holds.
func (s *Scanner) acceptAnswer(text string) {
	c := &s.cand
	s.answer = answer{is: true, at: c.start, text: text}
	if s.prefix >= 0 {
		s.add(pieceText, s.prefix, dropNone)
	} else {
		s.add(pieceText, c.start, dropNone)
	}
	s.add(pieceDrop, c.end, dropPseudo)
	s.endCalls(c.end)
}

// isAssigned reports whether what follows before is the content of a string that
// program text assigns.
func isAssigned(before string) bool {
	if before == "" || strings.IndexByte("'\"`", before[len(before)-1]) < 0 {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(before[max(0, len(before)-maxName):len(before)-1], "'\"` "), "=")
}
