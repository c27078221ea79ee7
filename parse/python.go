package parse

import "strings"

// endsPython looks whether the list in a python fence is all it holds.
func (s *Scanner) endsPython() bool {
	s.state = stText
	q := s.skipSpace(s.pos)
	switch s.closesPython(q) {
	case maybe:
		s.state, s.pos = stPython, q
		return false
	case yes:
		return s.accept()
	}
	s.reject()
	return s.leavePython(s.pos)
}

// closesPython reports whether the fence ends at q, behind a list in it: with a run
// on a line of its own, or with the text or a token, unclosed.
func (s *Scanner) closesPython(q int) tri {
	rest := s.text[q:]
	if rest == "" || rest[0] == '<' {
		token := s.eof
		if rest != "" {
			t, ok := lexTag(rest, s.eof)
			if ok != yes {
				return ok
			}
			token = t.kind == markToken
		}
		if !token {
			return s.maybeIf(rest == "")
		}
		s.cand.byEnd = true
		return yes
	}
	n := runLen(s.text, q)
	info, _, ended := strings.Cut(rest[n:min(len(rest), n+maxTag)], "\n")
	switch info = strings.TrimSpace(info); {
	case rest[0] != s.fence.char:
		return no
	case n == len(rest) && !s.eof:
		return maybe
	case n < s.fence.n || !s.lineOf(q):
		return no
	case !ended && !s.eof && len(rest) < n+maxTag:
		return maybe
	case strings.IndexByte(info, s.fence.char) >= 0:
		return no // a span begins there
	}
	s.cand.byEnd = s.cand.byEnd || !ended // the line may have gone on
	return yes
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

// isAssigned reports whether what follows before is the content of a string that
// program text assigns.
func isAssigned(before string) bool {
	if before == "" || strings.IndexByte("'\"`", before[len(before)-1]) < 0 {
		return false
	}
	return strings.HasSuffix(strings.TrimRight(before[max(0, len(before)-maxName):len(before)-1], "'\"` "), "=")
}

// mayComment reports whether a # at p begins a comment: as the first in a fence
// that may hold calls, behind a call expression or a list on its line, and
// between expressions that are all there is.
func (s *Scanner) mayComment(p int) bool {
	if s.called && (s.bareExpr || s.wasList) {
		return s.group.on || !strings.Contains(s.text[s.callEnd:p], "\n")
	}
	return s.fence.kind == fenceCalls && !s.fence.used && !s.fence.text
}

// comment begins Python's comment at p. Two signs are Markdown's heading.
func (s *Scanner) comment(p int) bool {
	switch {
	case p+1 == len(s.text) && !s.eof:
		return false
	case strings.HasPrefix(s.text[p:], "##"):
		return s.orPlain(s.leadWord(p), p)
	}
	s.cand.start = p
	s.state, s.pos = stComment, p+1
	return true
}

// inComment looks for the end of a comment: that of its line, or a tag that ends a
// call.
func (s *Scanner) inComment() bool {
	end := s.lookEnd(s.pos)
	i := strings.IndexAny(s.text[s.pos:end], "\n<")
	if i < 0 {
		s.pos = end
		if s.repeatDue() {
			return s.lookForRepeat()
		}
		return s.eof && s.endComment()
	}
	s.pos += i
	if s.text[s.pos] == '\n' {
		return s.endComment()
	}
	switch endsCall(s.text, s.pos, s.eof) {
	case yes:
		return s.endComment()
	case maybe:
		return false
	}
	s.pos++
	return true
}

// endComment ends a comment at pos. It stands for a separator; before the first
// call it belongs to the fence.
func (s *Scanner) endComment() bool {
	s.state = stText
	if s.called {
		s.drop(s.cand.start, s.pos, dropSeparator)
	}
	return true
}
