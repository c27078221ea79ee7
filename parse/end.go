package parse

import "strings"

// end settles what is open where the text ends.
func (s *Scanner) end(f Finish) {
	n := len(s.text)
	if s.state != stOver {
		s.endState()
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
	if s.state == stBlocked || s.state == stRest || s.unreadData {
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

// endState settles the construct that is being read.
func (s *Scanner) endState() {
	switch s.state {
	case stThink:
		s.add(pieceThink, len(s.text), dropNone)
		s.think.open = true
	case stCandidate:
		s.unclosed()
	case stEscaped:
		if s.reg.known(escapedName(s.text[s.cand.start:])) {
			s.cut("}")
		}
	case stNamed, stTagArgs, stAction, stInput:
		switch {
		case s.named.empty:
			s.withoutArgs(s.named.at, true)
		case s.named.ifInput && !s.named.input: // it is text
		default:
			s.cut("the arguments of a call")
		}
	}
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

// cut faults the reply: the text ends where a call does not.
func (s *Scanner) cut(expected string) {
	s.fault(ReasonTruncated, len(s.text), expected)
	s.prefix = -1
}

// unclosed judges the candidate that is still open where the text ends.
func (s *Scanner) unclosed() {
	r, c := &s.read, &s.cand
	s.state = stText
	switch {
	case s.completeAtEnd():
		r.closeAll(RepairMissingCloser)
		s.pos = len(s.text)
		c.byEnd, c.open = true, true
		if r.tail != tailNone {
			s.pos = r.ended
		}
		s.finishCandidate()
		if s.state != stText {
			s.run()
		}
		return
	case s.fence.kind == fencePython && (r.exprs == 0 || r.failed()), c.tick.n > 0 && !r.sure:
	case s.showsData():
		s.unreadData = true
		s.swallowed(c.start, r.due())
	default:
		s.cut(r.due())
		s.prose(c.start)
		return
	}
	s.prose(c.start)
	s.lead = false
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
	if last < f.keys {
		return false
	}
	v := r.out[r.keys[last].valAt]
	switch key := r.key(last); {
	case isWrapperKey(key):
		return v == '{' || v == '['
	case v != '{':
		return false
	case isArgsKey(key):
		return r.toolSeen || r.nameSeen != ""
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
	if s.inTicks() && r.failed() {
		return true
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
	return !(r.toolSeen || r.wrapped || isNameKey(k) || isArgsKey(k) || isWrapperKey(k) || isEnvelopeKey(k) || s.reg.known(k))
}

// opensQuoted reports whether a list begins with a quoted call, or with a pair
// of a quoted name and an object.
func opensQuoted(list string, reg *registry) bool {
	t := strings.TrimLeft(list[:min(len(list), maxLook)], "[( \t\r\n")
	if len(t) == len(list) || t == "" || strings.IndexByte("\"'`", t[0]) < 0 {
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

// swallowed notes a call in a hard marker at the start of a line, in data that
// opens at p and never closes: it was meant, and is no answer.
func (s *Scanner) swallowed(p int, due string) {
	for {
		i := strings.IndexByte(s.text[p:], '\n')
		if i < 0 {
			return
		}
		p = s.lookPast(p + i + 1)
		if p == len(s.text) || s.text[p] != '<' && s.text[p] != '[' {
			continue
		}
		var t tag
		ok := lexMarker(&t, s.text[p:], true)
		if ok != yes || t.kind != markHard || t.close {
			continue
		}
		rest := s.text[s.lookPast(p+t.n):]
		if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") || s.reg.known(rest[:wordLen(rest)]) {
			s.fault(ReasonMalformed, p, due)
			return
		}
	}
}
