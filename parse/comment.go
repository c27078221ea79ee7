package parse

import "strings"

// mayComment reports whether a # or // at p begins a comment: as the first in a fence
// that may hold calls or in a hard marker, behind a call expression or a list on its
// line, and between expressions that are all there is, or all that a marker holds.
func (s *Scanner) mayComment(p int) bool {
	if s.called && (s.bareExpr || s.wasList) {
		return s.group.on || s.marker.on && s.wasExpr || !strings.Contains(s.text[s.callEnd:p], "\n")
	}
	return s.fence.kind == fenceCalls && !s.fence.used && !s.fence.text || s.marker.on && s.marker.pending && !s.marker.before
}

// comment begins a comment of Python, or of Java and JavaScript, at p. Two # are
// Markdown's heading.
func (s *Scanner) comment(p int) bool {
	switch {
	case p+1 == len(s.text) && !s.eof:
		return false
	case s.text[p] == '/' && !strings.HasPrefix(s.text[p:], "//"):
		return s.orPass(s.leadWord(p), p)
	case strings.HasPrefix(s.text[p:], "##"):
		return s.orPass(s.leadWord(p), p)
	}
	s.cand.start = p
	s.state, s.pos = stComment, p+1
	return true
}

// inComment looks for the end of a comment: that of its line, or a tag that ends a
// call.
func (s *Scanner) inComment() bool {
	end := s.lookEnd(s.pos)
	stops := "\n<"
	if s.marker.on && s.marker.pending {
		stops = "\n<{[" // what a marker holds may stand behind it
	}
	i := strings.IndexAny(s.text[s.pos:end], stops)
	if i < 0 {
		s.pos = end
		if s.repeatDue() {
			return s.lookForRepeat()
		}
		return s.eof && s.endComment()
	}
	s.pos += i
	switch s.text[s.pos] {
	case '\n':
		return s.endComment()
	case '{', '[':
		s.state = stText
		return s.pass(s.cand.start, s.cand.start+1)
	}
	switch s.endsComment() {
	case yes:
		return s.endComment()
	case maybe:
		return false
	}
	s.pos++
	return true
}

// endsComment says whether the tag at pos ends a comment: it ends a call, or begins
// another.
func (s *Scanner) endsComment() tri {
	if is := endsCall(s.text, s.pos, s.eof); is != no {
		return is
	}
	var t tag
	if is := lexTag(&t, s.text[s.pos:], s.eof); is != yes || t.kind == markHard && !t.close {
		return is
	}
	return no
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
