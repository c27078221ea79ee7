package parse

import (
	"strings"
	"unicode/utf8"
)

// lines remembers where the line of the last offset began.
type lines struct {
	line int
	seen int
}

// start returns where the line of offset p begins; p must not be before the
// line of the last.
func (l *lines) start(text string, p int) int {
	if p > l.seen {
		if i := strings.LastIndexByte(text[l.seen:p], '\n'); i >= 0 {
			l.line = l.seen + i + 1
		}
		l.seen = p
	}
	return l.line
}

// lineStart returns where the line of offset p begins. Offsets mostly grow.
func (s *Scanner) lineStart(p int) int {
	switch {
	case p == 0 || s.text[p-1] == '\n':
		return p
	case p < s.here.line:
		return strings.LastIndexByte(s.text[:p], '\n') + 1
	}
	return s.here.start(s.text, p)
}

// blankBefore reports whether only white space, and perhaps quotation marks or
// emphasis, stands before p on its line.
func (s *Scanner) blankBefore(p int) bool {
	return p == 0 || s.text[p-1] == '\n' || s.blanksBefore(p)
}

func (s *Scanner) blanksBefore(p int) bool {
	before := s.text[s.lineStart(p):p]
	if len(before) > maxTag {
		return false
	}
	return strings.Trim(before, " \t\r*_>\u200b\ufeff") == ""
}

// ownLine reports whether only a bullet or a label stands before p on its line.
func (s *Scanner) ownLine(p int) bool {
	start := s.lineStart(p)
	b := strings.TrimRight(s.text[max(start, p-maxTag):p], " \t*")
	if strings.HasSuffix(b, ":") || strings.HasSuffix(b, "：") {
		return true
	}
	b = strings.TrimLeft(b, " \t-*+•>")
	b = strings.TrimRight(strings.TrimLeft(b, "0123456789"), ".)")
	return b == "" && p-start <= maxTag
}

// atLine reports whether p is the start of a line, white space, emphasis and a
// leaked token apart.
func (s *Scanner) atLine(p int) bool {
	return s.blankBefore(p) ||
		s.last.kind == pieceDrop && s.last.reason == dropToken && strings.TrimSpace(s.text[s.last.end:p]) == ""
}

// endsLine reports whether nothing but separators stands behind p on its line, on
// which more is known to follow or below.
func (s *Scanner) endsLine(p int) bool {
	for p < len(s.text) && strings.IndexByte(" \t\r,;", s.text[p]) >= 0 {
		p++
	}
	return p == len(s.text) || s.text[p] == '\n' || s.text[p] == '#'
}

// lineRest is what stands behind a list on its line.
type lineRest uint8

const (
	restNone    lineRest = iota
	restStop             // a full stop: nothing may follow
	restComment          // Python's, to the end of the line
)

// inLineRest looks whether the line ends behind a call.
func (s *Scanner) inLineRest() bool {
	c := &s.cand
	for s.pos < len(s.text) {
		switch b := s.text[s.pos]; {
		case b == '\n':
			s.state, s.pos = stText, c.end
			return s.accept()
		case b == ' ' || b == '\t' || b == '\r' || c.rest == restComment && b != '<':
			s.pos++
		case b == '<':
			return s.tagEndsLine()
		case c.tick.n > 0 && c.rest == restNone && s.pos == c.end && (b == ',' || b == ';'):
			c.rest = restStop // a span on the next line goes on
			s.pos++
		case c.tick.n > 0 || c.rest == restStop:
			return s.speaksOf()
		case b >= utf8.RuneSelf:
			n, wait := s.invisibleAt(s.pos)
			if wait {
				return false
			}
			if s.pos += n; n == 0 {
				return s.speaksOf()
			}
		case b == '`' && s.oddLine >= 0 && s.oddLine == s.lineStart(c.start): // it closes the run before
			s.pos++
		case b == '[':
			return s.listGoesOn()
		case !s.listEnds(b):
			return s.speaksOf()
		default:
			s.pos++
		}
	}
	if !s.eof {
		return false
	}
	s.state, s.pos = stText, c.end
	c.byEnd = true
	return s.accept()
}

// invisibleAt returns the length of the character without width at p, 0 for any
// other; wait says that it is not here to its end.
func (s *Scanner) invisibleAt(p int) (n int, wait bool) {
	rest := s.text[p:]
	if !utf8.FullRuneInString(rest) && !s.eof {
		return 0, true
	}
	if r, n := utf8.DecodeRuneInString(rest); isInvisible(r) {
		return n, false
	}
	return 0, false
}

// listEnds reports whether b may stand behind a list that is alone on its line:
// the comma before a further one, the end of bold text, a closer too many, a full
// stop, a comment.
func (s *Scanner) listEnds(b byte) bool {
	switch b {
	case ',', ';':
		return s.pos == s.cand.end
	case '*', ']', ')', '}':
		return true
	case '.':
		s.cand.rest = restStop
		return true
	case '#':
		s.cand.rest = restComment
		return true
	}
	return false
}

// listGoesOn looks at the [ behind a list: another such list is part of what
// stands alone on the line, and an empty one is nothing.
func (s *Scanner) listGoesOn() bool {
	if strings.HasPrefix(s.text[s.pos:], "[]") {
		s.pos += len("[]")
		return true
	}
	ok, _ := s.opensList(s.pos)
	if ok == maybe {
		return false
	}
	if ok == no {
		return s.speaksOf()
	}
	s.state = stText
	s.pos = s.cand.end
	return s.accept()
}

// tagEndsLine looks at the tag behind a call: a control token ends the line as
// it ends the turn.
func (s *Scanner) tagEndsLine() bool {
	t, ok := lexTag(s.text[s.pos:], s.eof)
	if ok == maybe {
		return false
	}
	if t.endsTurn() {
		s.state = stText
		return s.accept()
	}
	if s.cand.rest == restComment {
		s.pos++
		return true
	}
	return s.speaksOf()
}

// toldOf reports whether the line of p has spoken of a call.
func (s *Scanner) toldOf(p int) bool { return s.toldLine >= 0 && s.toldLine == s.lineStart(p) }

// joined reports whether a comma joins what stands at p to a call that a sentence
// speaks of.
func (s *Scanner) joined(p int) bool {
	if s.toldEnd == 0 || p-s.toldEnd > maxLook {
		return false
	}
	between := s.text[s.toldEnd:p]
	return strings.ContainsAny(between, ",;") && strings.Trim(between, ",; \t\r\n") == ""
}

// besideCalls reports whether a call ends on the line of p.
func (s *Scanner) besideCalls(p int) bool {
	return len(s.calls) > 0 && s.callEnd > s.lineStart(p)
}

// speaksOf makes text of the candidate, as its sentence goes on: what follows on
// the line is part of the sentence.
func (s *Scanner) speaksOf() bool {
	s.state = stText
	if s.expression() && s.besideCalls(s.cand.start) {
		s.acceptFault(Problem{Reason: ReasonMalformed, Offset: s.cand.start, Expected: "calls alone, or marked ones"}, false)
		return true
	}
	s.toldLine, s.toldEnd = s.lineStart(s.cand.end), s.cand.end
	return s.reject()
}
