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
	return s.blockFence(s.pos)
}

// closesPython reports whether the fence ends at q, behind a list in it: with a run
// on a line of its own, or with the text or a token, unclosed.
func (s *Scanner) closesPython(q int) tri {
	rest := s.text[q:]
	if rest == "" || rest[0] == '<' {
		token := s.eof
		if rest != "" {
			var t tag
			ok := lexTag(&t, rest, s.eof)
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

// blockFence reads on in a python fence that holds other text: no calls.
func (s *Scanner) blockFence(p int) bool {
	s.prose(p)
	s.fence.kind = fenceOther
	s.nest = append(s.nest[:0], s.fence.n)
	s.state, s.lead = stBlocked, false
	s.pos = max(s.lineStart(p), s.fence.body)
	return true
}
