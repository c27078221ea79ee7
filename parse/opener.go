package parse

import "strings"

// brace begins an object.
func (s *Scanner) brace(p int) bool {
	key := p+1 < len(s.text) && s.text[p+1] == '"' // it opens an object, as most do
	if !key {
		n := runLen(s.text[:min(len(s.text), p+repeatBraces)], p)
		if n == repeatBraces {
			return s.repetition(p)
		}
		if p+n == len(s.text) && !s.eof {
			return false
		}
	}
	if s.fence.kind == fencePython {
		return s.blockFence(p)
	}
	if !s.lead && s.recipientOf(p) {
		return true
	}
	if !key && opensNothing(s.text[p+1:]) {
		return s.pass(p, p+1)
	}
	if !s.lead {
		return s.data(p)
	}
	return s.object(p)
}

// object begins to read the object at p.
func (s *Scanner) object(p int) bool {
	if is := s.escapedAt(p); is != no {
		return is == yes
	}
	c := s.candidate(p)
	c.argsMayGoOn = c.called && s.argsMayGoOn
	s.read.begin(p)
	s.read.sure = false
	return true
}

// opensNothing reports whether what follows a brace shows at once that it
// begins no candidate: neither a key nor the end of the object.
func opensNothing(s string) bool {
	i := 0
	for i < len(s) && i < maxName && isSpace(s[i]) {
		i++
	}
	word := i
	for i < len(s) && i < 2*maxName && isLetter(s[i]) {
		i++
	}
	if i > word && (i == len(s) || s[i] != ' ') {
		return false // the word may go on
	}
	for i < len(s) && i < 3*maxName && s[i] == ' ' {
		i++
	}
	return i < len(s) && (isDigit(s[i]) || strings.IndexByte("{[(|,;.!?=+*&%$^@)]>-", s[i]) >= 0)
}

// bracket begins a list, or reads a marker in square brackets.
func (s *Scanner) bracket(p int) bool {
	functools := false
	if start := s.lineStart(p); s.text[start:p] == "functools" && s.done <= start {
		functools = true
		s.beginPrefix(start)
	}
	var t tag
	switch lexBracket(&t, s.text[p:], s.eof) {
	case yes:
		if s.fence.kind == fencePython {
			return s.blockFence(p)
		}
		return s.tagged(p, &t)
	case maybe:
		return false
	}
	ok, calls := s.opensList(p)
	if ok == maybe {
		return false
	}
	if ok == no && s.fence.kind == fenceNone {
		switch s.strangerList(p) {
		case yes:
			if s.called {
				s.faultList(p)
			} else {
				s.noteList(p, nil)
			}
		case maybe:
			return false
		}
	}
	if ok == no && s.eof && s.called && s.wasList && s.begunName(p+1) {
		s.cut("the rest of a call") // behind lists of calls: another was begun
	}
	if ok == no || s.fence.kind == fencePython && !calls {
		if s.fence.kind == fencePython {
			return s.blockFence(p)
		}
		return s.pass(p, p+1)
	}
	if functools {
		s.lead, s.soft, s.softDialect = true, true, DialectFunctools
	}
	s.candidate(p)
	s.read.begin(p)
	s.read.calls, s.read.colons = true, s.cand.place.hard || s.fence.calls
	return true
}

// opensList reports whether the [ at p begins a candidate, and whether a call
// expression comes first in it.
func (s *Scanner) opensList(p int) (ok tri, calls bool) {
	q := s.lookPast(p + 1)
	for end := p + maxLook; q < min(len(s.text), end) && s.text[q] == '#'; { // Python's comment
		i := strings.IndexByte(s.text[q:min(len(s.text), end)], '\n')
		switch {
		case i >= 0:
			q = s.lookPast(q + i)
		case len(s.text) < end:
			q = len(s.text)
		default:
			return no, false
		}
	}
	if q == len(s.text) {
		if s.eof {
			return no, false
		}
		return maybe, false
	}
	switch c := s.text[q]; {
	case c == '{' || c == '"' || c == '\'' || c == '[' || c == '(':
		return yes, false
	case c == "“"[0]:
		return begins(s.text[q:], "“", s.eof), false
	case c == '`':
		return s.callAt(q + 1), false
	case isLetter(c):
		if is := s.callAt(q); is != no {
			return is, is == yes
		}
		if q > s.lookPast(p+1) && s.begunName(q) { // behind a comment
			return yes, true
		}
	}
	return no, false
}

// callAt says whether a call expression of a registered tool begins at p.
func (s *Scanner) callAt(p int) tri {
	rest := s.text[p:]
	n := wordLen(rest)
	switch {
	case mayGoOn(rest, n):
		return s.maybeIf(true)
	case !s.reg.known(rest[:n]):
		return no
	}
	return opensArgs(rest, n, s.eof)
}

// strangerList says whether a list that begins with a call expression of no tool stands
// at p, directly behind another list of call expressions or alone on its line.
func (s *Scanner) strangerList(p int) tri {
	q := s.lookPast(p + 1)
	rest := s.text[q:]
	n := wordLen(rest)
	if n == 0 || n > maxName || s.reg.known(rest[:n]) || !strings.HasPrefix(rest[n:], "(") {
		return no
	}
	if behind := s.called && s.wasList && s.wasExpr; !behind && (s.called || s.marker.on || !s.ownLine(p)) {
		return no
	}
	line, _, ended := strings.Cut(s.text[p:min(len(s.text), p+maxLine)], "\n")
	if !ended && len(line) < maxLine && !s.eof {
		s.await(lineEnds, p+maxLine)
		return maybe
	}
	list, behind, closed := strings.Cut(line, ")]")
	if args := q - p + n + len("("); !closed || !literalArgs(list[min(args, len(list)):]+")") || !noRemark(behind) {
		return no
	}
	return yes
}

// literalArgs reports whether the arguments of a call expression, behind its parenthesis,
// begin with a string, an object or a name and a literal, or are none; what only shows the
// form of arguments does not.
func literalArgs(s string) bool {
	s = strings.TrimLeft(s, " ")
	n := wordLen(s)
	value, named := strings.CutPrefix(strings.TrimLeft(s[n:], " "), "=")
	value = strings.TrimLeft(value, " ")
	switch {
	case s == "" || value == "" || strings.Contains(s, "...)"):
		return false
	case !named:
		return strings.IndexByte("\"'{)", s[0]) >= 0
	}
	word := value[:wordLen(value)]
	lit, _ := literal(word)
	return lit != "" || word == "" && strings.IndexByte("\"'[{-0123456789", value[0]) >= 0
}

// noRemark reports whether no remark stands in what follows a list on its line.
func noRemark(behind string) bool {
	behind = strings.TrimLeft(behind, " \t\r,;.")
	return behind == "" || behind[0] == '<' || behind[0] == '#' || strings.HasPrefix(behind, "//")
}

// begunName reports whether the text ends in what may become the name of a tool,
// behind p.
func (s *Scanner) begunName(p int) bool {
	word := s.text[s.lookPast(p):]
	n := wordLen(word)
	return n > 0 && n == len(word) && s.reg.mayBecome(word)
}
