package parse

import (
	"slices"
	"strings"
	"unsafe"
)

// inCandidate goes on reading the candidate at hand.
func (s *Scanner) inCandidate() bool {
	r := &s.read
	r.text, r.eof = s.text, s.eof
	st := r.run()
	if st == readMore {
		s.pos = len(s.text)
		return false
	}
	s.pos = r.pos
	s.state = stText
	if st == readNot {
		return s.plain(s.cand.start, max(r.pos, s.cand.start+1))
	}
	s.floorAt(r.pos)
	if st == readCut {
		r.closeAll(RepairMissingCloser)
	}
	return s.finishCandidate()
}

// floorAt says that repetition is looked for behind p only.
func (s *Scanner) floorAt(p int) {
	s.floor = p
	if next := (p/repeatWindow + 2) * repeatWindow; s.check < next {
		s.check = next
	}
}

// closeAll ends every open container where the model ended the call.
func (r *reader) closeAll(code RepairCode) {
	for len(r.stack) > 0 && !r.failed() {
		r.repair(code, r.pos)
		r.pop()
	}
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
		c.v = s.quotedList()
	case !s.goesOnFrom() && s.plainData():
		return s.reject()
	default:
		c.v = s.judge()
	}
	if c.v.kind == isData && s.goesOnFrom() {
		c.v = faulty(ReasonAmbiguous, c.start, "one object of arguments")
	}
	return s.weigh()
}

// goesOnFrom reports whether the candidate, if it is no call, belongs to the call
// directly before it: as a second object of arguments, or as the only one.
func (s *Scanner) goesOnFrom() bool {
	c := &s.cand
	return c.glued || c.called && s.text[c.start] == '{' && isArgsKey(s.read.firstKey())
}

// quotes reports whether the candidate is one string, which begins with open.
func (s *Scanner) quotes(open byte) bool {
	return s.read.single && !s.read.failed() && s.text[s.cand.start+runeLen(s.text[s.cand.start:])] == open
}

// weigh decides by where the candidate stands whether what it means counts.
func (s *Scanner) weigh() bool {
	c := &s.cand
	if c.v.kind == isData {
		if c.place.hard && s.marker.on && s.marker.pending {
			s.prose(c.start)
		}
		return s.reject()
	}
	if c.value || s.o.ExpectJSON && !c.place.marked() || s.final >= 0 && !c.place.hard {
		return s.reject() // it is the answer, or a part of it
	}
	if s.fence.inline && s.lineStart(c.end) == s.fence.line {
		c.tick, c.tickAt = s.fence.n, s.fence.start
	}
	if c.tick > 0 {
		s.state = stSpan
		return true
	}
	if s.fence.kind == fencePython {
		return s.endsPython()
	}
	if s.expression() && !c.place.marked() && !c.first && !c.expr {
		switch {
		case !c.own && s.besideCalls(c.start):
			s.acceptFault(Problem{Reason: ReasonMalformed, Offset: c.start, Expected: "calls alone, or marked ones"}, false)
			return true
		case !c.own || s.toldOf(c.start) || s.joined(c.start):
			return s.speaksOf()
		}
		s.state = stLineRest
		return true
	}
	return s.accept()
}

// expression reports whether the candidate is a list of call expressions, of
// pairs or of quoted calls: in prose these stand on lines of their own.
func (s *Scanner) expression() bool {
	if s.cand.v.kind == isFault && s.text[s.cand.start] == '[' && s.read.exprs+s.read.quoted > 0 || s.read.exprs > 0 {
		return true
	}
	return slices.ContainsFunc(s.cand.v.calls, func(f found) bool { return f.expr })
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

// plainData reports whether the candidate is an object without a key that a
// call would have, where that is no fault.
func (s *Scanner) plainData() bool {
	r := &s.read
	if r.failed() || r.out[0] != '{' || r.callKeys || r.exprs > 0 || s.cand.place.hard {
		return false
	}
	if c := r.out[min(r.first+1, len(r.out)-1)]; r.first == 0 || c != '{' && c != '"' { // the value of the first key
		return true
	}
	return !s.reg.known(r.firstKey())
}

// canonical is what the reader wrote, valid until it begins again.
func (r *reader) canonical() string { return view(r.out) }

// view reads bytes as a string for as long as they are not written over.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unreadable judges a complete candidate that has no reading: it is data unless
// it looks like a call.
func (s *Scanner) unreadable() verdict {
	r, c := &s.read, &s.cand
	callLike := r.toolSeen || s.text[c.start] == '{' && s.callsFirst(r.firstKey())
	if found := s.text[r.problem.Offset:]; strings.HasPrefix(found, "...") || strings.HasPrefix(found, "…") {
		callLike = false // a placeholder
	}
	if callLike || c.place.hard && s.marker.on {
		return verdict{kind: isFault, fault: r.problem}
	}
	return verdict{}
}

// callsFirst reports whether an object with that first key is a call: the key is
// a tool, or wraps nothing else.
func (s *Scanner) callsFirst(key string) bool {
	return key != "" && key != "function" && isWrapperKey(key) || s.reg.known(key)
}

// describe completes calls with what the scanner knows: the repairs of their
// spelling, the dialect of their marker, what they depend on.
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
	case c.label != "" && s.soft:
		return c.label
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

// speaksOf makes text of the candidate, as its sentence goes on: what follows on
// the line is part of the sentence.
func (s *Scanner) speaksOf() bool {
	s.state = stText
	s.told, s.spoken = s.lineStart(s.cand.end), s.cand.end
	return s.reject()
}

// joined reports whether a comma joins what stands at p to a call that a sentence
// speaks of.
func (s *Scanner) joined(p int) bool {
	if s.spoken == 0 || p-s.spoken > maxLook {
		return false
	}
	between := s.text[s.spoken:p]
	return strings.ContainsAny(between, ",;") && strings.Trim(between, ",; \t\r\n") == ""
}

// besideCalls reports whether a call ends on the line of p.
func (s *Scanner) besideCalls(p int) bool {
	return len(s.calls) > 0 && s.ended > s.lineStart(p)
}

// toldOf reports whether the line of p has spoken of a call.
func (s *Scanner) toldOf(p int) bool { return s.told >= 0 && s.told == s.lineStart(p) }

// accept takes the candidate as what it is: calls, a fault, an answer.
func (s *Scanner) accept() bool {
	c := &s.cand
	s.bare = c.expr
	switch c.v.kind {
	case isFault:
		if s.lists && s.only {
			c.v.fault.Reason = ReasonMalformed // a second list that cannot be read
		}
		s.acceptFault(c.v.fault, s.tentative(c) || c.v.whole)
		return true
	case isAnswer:
		s.acceptAnswer(c.v.answer)
		return true
	}
	tent, list := s.tentative(c), s.expression()
	for i := range c.v.calls {
		f := &c.v.calls[i]
		f.end, f.sure = c.end, !tent && !f.whole && !list
		f.byEnd = f.byEnd || c.odd || s.mid.on || c.expr && s.fence.kind == fenceNone && !c.place.hard
		if s.fence.kind == fencePython {
			f.call.Marked = true
		}
		if c.expr && (tent || c.place.marked()) {
			f.call.Marked = true
		}
		s.addFound(f, i == 0, tent || f.whole)
	}
	s.endCalls(c.end)
	s.lists, s.glued = s.text[c.start] == '[', false
	s.marker.list = s.marker.on && s.lists && !c.apart
	return true
}

// tentative reports whether the candidate's calls depend on what else stands in
// the reply or the fence.
func (s *Scanner) tentative(c *candidate) bool {
	return c.expr && !c.place.hard
}

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
	case s.marker.on || s.stands || s.soft:
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
	s.pos, s.ended = max(s.pos, end), end
	s.prefix = -1
	s.lead, s.called, s.stands = true, true, false
	s.shut, s.strung = false, false
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
		s.group.faults = append(s.group.faults, f)
		s.lead, s.called, s.ended = true, true, s.cand.end
		s.hold(s.count())
		s.add(pieceText, s.cand.end, dropNone)
		s.prefix = -1
		return
	}
	s.faults = append(s.faults, f)
	s.add(pieceText, s.cand.end, dropNone)
	s.prefix = -1
	s.lead, s.called, s.only = true, false, false
}

// nameless reports whether the candidate in a hard marker holds neither a name
// nor arguments. Of one that cannot be read nobody knows.
func (s *Scanner) nameless() bool {
	r := &s.read
	k := r.firstKey()
	return !s.cand.apart && !r.failed() && !r.toolSeen && r.nameSeen == "" &&
		!isNameKey(k) && !isArgsKey(k) && !isWrapperKey(k) && !s.reg.known(k)
}

// acceptAnswer takes the answer that a pseudo tool holds.
func (s *Scanner) acceptAnswer(text string) {
	c := &s.cand
	s.answers = append(s.answers, answer{c.start, text})
	if s.prefix >= 0 {
		s.add(pieceText, s.prefix, dropNone)
	} else {
		s.add(pieceText, c.start, dropNone)
	}
	s.add(pieceDrop, c.end, dropPseudo)
	s.endCalls(c.end)
}

// maxEqual is how many equal calls in a row are meant.
const maxEqual = 8

// countEqual counts equal calls in a row, the last one included.
func (s *Scanner) countEqual() {
	n := len(s.calls)
	if n > 1 {
		a, b := &s.calls[n-2].call, &s.calls[n-1].call
		if a.Name == b.Name && string(a.Args) == string(b.Args) {
			s.equal++
			return
		}
	}
	s.equal = 1
}

// tooManyEqual ends a reply that says the same call over and over.
func (s *Scanner) tooManyEqual() {
	s.confirm()
	last := s.calls[len(s.calls)-1].call
	s.fault(ReasonRepetition, last.Span.Start, "at most 8 equal calls in a row")
	s.state, s.over, s.overAt = stOver, dropRepetition, s.pos
}

// endsPython looks whether the list in a python fence is all it holds.
func (s *Scanner) endsPython() bool {
	s.state = stText
	q := s.skipSpace(s.pos)
	if q == len(s.text) {
		if !s.eof {
			s.state, s.pos = stPython, q
			return false
		}
		s.cand.odd = true // unclosed
		return s.accept()
	}
	if t, ok := lexTag(s.text[q:], s.eof); s.text[q] == '<' && ok != no {
		if ok == maybe {
			s.state, s.pos = stPython, q
			return false
		}
		if t.kind == markToken {
			s.cand.odd = true // unclosed
			return s.accept()
		}
	}
	if s.text[q] == s.fence.char && q+runLen(s.text, q) == len(s.text) && !s.eof {
		s.state, s.pos = stPython, q
		return false
	}
	if s.text[q] == s.fence.char && runLen(s.text, q) >= s.fence.n && s.lineOf(q) {
		return s.accept()
	}
	s.reject()
	return s.leavePython(s.pos)
}

// lineOf reports whether p begins its line or ends the candidate's.
func (s *Scanner) lineOf(p int) bool { return s.blankBefore(p) || p == s.cand.end }

// leavePython reads on in a python fence that holds other text: no calls.
func (s *Scanner) leavePython(p int) bool {
	s.prose(p)
	s.fence.kind = fenceOther
	s.nest = append(s.nest[:0], s.fence.n)
	s.state, s.lead = stBlocked, false
	s.pos = max(s.lineStart(p), s.fence.body)
	return true
}
