package parse

import "strings"

// span reads a run of n backticks that opens a code span, or stands alone.
func (s *Scanner) span(p, n int) bool {
	q := p + n
	switch s.spanHolds(q) {
	case maybe:
		return false
	case yes:
		s.openSpan(p, n)
		return s.construct(q)
	}
	switch s.wholeSpan(p, n) {
	case maybe:
		return false
	case yes:
		s.openSpan(p, n)
		s.beginExpression(q, wordLen(s.text[q:]))
		return true
	}
	return s.skipSpan(p, n)
}

// openSpan opens the code span whose run of n backticks stands at p, before a candidate.
func (s *Scanner) openSpan(p, n int) {
	s.noCloser[min(n, 3)-1] = -1
	s.beginPrefix(p)
	if !s.lead {
		s.prefix = p
	}
	s.tick = run{p, n}
}

// wholeSpan says whether the code span behind the run of n backticks at p is the whole
// reply and exactly a call expression. Markdown mentions tools so: without arguments, or
// with others than literal ones, it is the answer.
func (s *Scanner) wholeSpan(p, n int) tri {
	if !s.lead || !s.onlyCalls || s.called || s.fence.kind != fenceNone || s.marker.on {
		return no
	}
	q := p + n
	if s.notWhole == q {
		return no
	}
	is := s.wholeSpanAt(q, n)
	if is == no {
		s.notWhole = q
	}
	return is
}

// wholeSpanAt is wholeSpan for the content that begins at q.
func (s *Scanner) wholeSpanAt(q, n int) tri {
	if is := s.callAt(q); is != yes {
		return is
	}
	text := s.text[q:min(len(s.text), q+maxLine)]
	i := min(max(0, s.spanSeen-q), len(text))
	if next := strings.IndexAny(text[i:], "`\n"); next >= 0 {
		i += next
	} else {
		i = len(text)
	}
	switch {
	case i == len(text) && len(text) < maxLine:
		s.spanSeen = q + i
		return s.maybeIf(true)
	case i == len(text) || text[i] == '\n':
		return no
	}
	s.spanSeen = q + i
	m := runLen(text, i)
	is := s.endsReply(q + i + m)
	if is != yes {
		return is
	}
	j := judge{reg: &s.reg}
	v := j.expression(text[:i], Span{q, q + i})
	if m != n || v.kind != isCalls || string(v.calls[0].call.Args) == "{}" {
		return no
	}
	return yes
}

// endsReply says whether nothing but white space and a token that ends the turn follows
// at p.
func (s *Scanner) endsReply(p int) tri {
	p = s.lookPast(p)
	switch {
	case p == len(s.text):
		if s.eof {
			return yes
		}
		return maybe
	case s.text[p] != '<':
		return no
	}
	var t tag
	is := lexTag(&t, s.text[p:], s.eof)
	if is == yes && !t.endsTurn() {
		return no
	}
	return is
}

// spanHolds reports whether a candidate begins directly behind the run.
func (s *Scanner) spanHolds(q int) tri {
	switch {
	case q == len(s.text):
		return no
	case s.text[q] == '{':
		return yes
	case s.text[q] != '[':
		return no
	}
	var t tag
	switch lexBracket(&t, s.text[q:], s.eof) {
	case yes:
		return no
	case maybe:
		return maybe
	}
	ok, _ := s.opensList(q)
	return ok
}

// skipSpan passes over a code span as text, or over a lone run.
func (s *Scanner) skipSpan(p, n int) bool {
	line := s.lineStart(p)
	class := min(n, 3) - 1
	if s.noCloser[class] == line {
		s.oddLine = line
		return s.pass(p, p+n)
	}
	switch end, ok := s.closingRun(p+n, n); ok {
	case maybe:
		return false
	case yes:
		return s.pass(p, end)
	}
	s.noCloser[class], s.oddLine = line, line
	return s.pass(p, p+n)
}

// inSpan looks for the run that closes a code span behind a call, then for the
// end of its line: a sentence that goes on only mentions the call.
func (s *Scanner) inSpan() bool {
	q := s.pos
	for q < len(s.text) && (s.text[q] == ' ' || s.text[q] == '\t') {
		q++
	}
	s.pos = q
	if q == len(s.text) && !s.eof {
		return false
	}
	n := 0
	if q < len(s.text) && s.text[q] == '`' {
		n = runLen(s.text, q)
		if n < maxRun && q+n == len(s.text) && !s.eof {
			return false
		}
	}
	c := &s.cand
	c.byEnd = c.byEnd || s.eof && q+n == len(s.text) // the run may have gone on
	mentioned := s.mentionsOn(c.tick.at)
	if n == 0 || n < c.tick.n {
		return s.unclosedSpan(mentioned)
	}
	c.end = q + n
	s.pos = c.end
	s.fence = fence{}
	if mentioned {
		return s.mention()
	}
	s.state = stLineRest
	return true
}

// unclosedSpan acts on a call in a code span that no run of backticks closes directly
// behind it; mentioned says that its line has mentioned a call before.
func (s *Scanner) unclosedSpan(mentioned bool) bool {
	c := &s.cand
	if !s.fence.inline || c.expr && s.inSentence() {
		switch end, ok := s.spanEnds(c.end, c.tick.n); ok {
		case maybe:
			return false
		case yes:
			if c.end, s.pos = end, end; s.fence.inline {
				s.fence = fence{}
			}
			return s.mention()
		}
	}
	inline := s.fence.inline
	s.state, s.fence.inline, c.tick.n = stText, false, 0
	if inline {
		return s.accept() // it is a fence after all
	}
	// The run before stands alone, or the line ends with the span.
	s.oddLine, c.byEnd = s.lineStart(c.tick.at), true
	if mentioned {
		return s.mention()
	}
	return s.accept()
}

// spanEnds returns where the code span ends that a run of n backticks opened and that
// holds more than its call, which ends at p. It is no unless the line goes on behind
// the span.
func (s *Scanner) spanEnds(p, n int) (end int, ok tri) {
	if end, ok = s.closingRun(p, n); ok != yes {
		return 0, ok
	}
	rest := strings.TrimLeft(s.text[end:min(len(s.text), end+maxLook)], " \t\r")
	switch {
	case rest == "" && end+maxLook > len(s.text):
		if s.eof {
			return 0, no
		}
		return 0, maybe
	case strings.HasPrefix(rest, "\n"):
		return 0, no
	case strings.HasPrefix(rest, "<"):
		var t tag
		switch ok := lexTag(&t, rest, s.eof); {
		case ok == maybe:
			return 0, maybe
		case t.endsTurn():
			return 0, no // it ends the line as it ends the turn
		}
	}
	return end, yes
}

// closingRun looks on the rest of the line, from from on, for the run that closes what
// a run of n backticks opened, and returns the end of it.
func (s *Scanner) closingRun(from, n int) (end int, ok tri) {
	for q := max(from, s.spanSeen); ; {
		i := strings.IndexAny(s.text[q:], "`\n")
		if i < 0 && !s.eof {
			s.spanSeen = len(s.text)
			return 0, maybe
		}
		if i < 0 || s.text[q+i] == '\n' {
			break
		}
		q += i
		m := runLen(s.text, q)
		if m < maxRun && q+m == len(s.text) && !s.eof {
			s.spanSeen = q
			return 0, maybe
		}
		if q += m; min(m, 3) == min(n, 3) {
			s.spanSeen = 0
			return q, yes
		}
	}
	s.spanSeen = 0
	return 0, no
}
