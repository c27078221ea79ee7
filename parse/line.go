package parse

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// lines remembers where a line begins, so that no byte is searched twice for it.
type lines struct {
	at    int // where the line begins
	asked int // the last offset that was asked for, on that line
}

// start returns where the line of offset p begins; p must not stand before the
// line of the last offset.
func (l *lines) start(text string, p int) int {
	if p > l.asked {
		if i := strings.LastIndexByte(text[l.asked:p], '\n'); i >= 0 {
			l.at = l.asked + i + 1
		}
		l.asked = p
	}
	return l.at
}

// lineStart returns where the line of offset p begins. Offsets mostly grow.
func (s *Scanner) lineStart(p int) int {
	switch {
	case p == 0 || s.text[p-1] == '\n':
		return p
	case p < s.here.at:
		return strings.LastIndexByte(s.text[:p], '\n') + 1
	}
	return s.here.start(s.text, p)
}

// behindLast returns where the last call ends, or what was dropped behind it, if that is
// on the line that begins at line and no text is known to follow; else line.
func (s *Scanner) behindLast(line int) int {
	switch s.last.kind {
	case pieceCall, pieceHeld, pieceDrop:
		if len(s.calls) > 0 {
			return max(line, s.last.end)
		}
	}
	return line
}

// blankBefore reports whether only white space, and perhaps quotation marks or
// emphasis, stands before p on its line.
func (s *Scanner) blankBefore(p int) bool {
	return p == 0 || s.text[p-1] == '\n' || s.blanksBefore(p)
}

// blanksBefore is blankBefore for an offset within a line, apart from it so that the
// common answer is inlined.
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

// atLine reports whether p is the start of a line, white space, emphasis, a leaked token
// and a thought apart.
func (s *Scanner) atLine(p int) bool {
	return s.blankBefore(p) ||
		s.last.kind == pieceDrop && (s.last.reason == dropToken || s.last.reason == dropThinkTag) && strings.TrimSpace(s.text[s.last.end:p]) == ""
}

// endsLine reports whether nothing but separators, or a comment, stands behind p on
// its line. More is known to follow, there or below.
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
	restComment          // to the end of the line
)

// inLineRest reads the rest of the line behind a call, which counts only if the line
// ends with it.
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
			return s.mention()
		case b >= utf8.RuneSelf:
			n, wait := s.invisibleAt(s.pos)
			if wait {
				return false
			}
			if s.pos += n; n == 0 {
				return s.mention()
			}
		case b == '`' && s.oddLine >= 0 && s.oddLine == s.lineStart(c.start): // it closes the run before
			s.pos++
		case b == '[':
			return s.listGoesOn()
		case b == '/' && s.pos+1 == len(s.text) && !s.eof:
			return false
		case !s.listEnds(b):
			return s.mention()
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
// other; wait says that the text ends within the character.
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

// listEnds reports whether b may stand behind a list that is alone on its line: the
// comma before a further one, the end of bold text, a closer too many, a full stop,
// a comment. It notes the last two, which limit what may follow.
func (s *Scanner) listEnds(b byte) bool {
	switch b {
	case ',', ';':
		return s.pos == s.cand.end
	case '*', ']', ')', '}':
		return true
	case '.':
		s.cand.rest = restStop
		return true
	case '#', '/':
		if b == '#' || strings.HasPrefix(s.text[s.pos:], "//") && isSpace(s.text[s.pos-1]) {
			s.cand.rest = restComment
			return true
		}
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
		return s.mention()
	}
	s.state = stText
	s.pos = s.cand.end
	return s.accept()
}

// tagEndsLine looks at the tag behind a call: a control token ends the line as
// it ends the turn.
func (s *Scanner) tagEndsLine() bool {
	var t tag
	ok := lexTag(&t, s.text[s.pos:], s.eof)
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
	return s.mention()
}

// mentionsOn reports whether the line of p has mentioned a call.
func (s *Scanner) mentionsOn(p int) bool {
	return s.mentionLine >= 0 && s.mentionLine == s.lineStart(p)
}

// joinsMention reports whether a comma joins what stands at p to a call that was
// only mentioned.
func (s *Scanner) joinsMention(p int) bool {
	if s.mentionEnd == 0 || p-s.mentionEnd > maxLook {
		return false
	}
	between := s.text[s.mentionEnd:p]
	return strings.ContainsAny(between, ",;") && strings.Trim(between, ",; \t\r\n") == ""
}

// besideCalls reports whether a call ends on the line of p.
func (s *Scanner) besideCalls(p int) bool {
	return len(s.calls) > 0 && s.callEnd > s.lineStart(p)
}

// mention makes text of the candidate: its sentence goes on and only mentions it, and
// so it does with what follows on the line.
func (s *Scanner) mention() bool {
	s.state = stText
	if s.expression() && s.besideCalls(s.cand.start) {
		s.acceptFault(Problem{Reason: ReasonMalformed, Offset: s.cand.start, Expected: "calls alone, or marked ones"}, false)
		return true
	}
	s.mentionLine, s.mentionEnd = s.lineStart(s.cand.end), s.cand.end
	link := strings.HasPrefix(s.text[s.cand.end:], "(")
	if calls := s.cand.verdict.calls; s.cand.own && s.cand.tick.n == 0 && !link && len(calls) > 0 {
		s.noteList(s.cand.start, calls)
	}
	return s.reject()
}

// notedLists are lists of call expressions that do not count although each stands alone
// before what follows on its line.
type notedLists struct {
	at    int     // where the first begins, or -1
	calls []found // of all of them
	lost  bool    // one calls no tool, or there are many calls
}

// noteList notes the list of calls at p; calls is nil if it calls no tool.
func (s *Scanner) noteList(p int, calls []found) {
	n := &s.noted
	if n.at < 0 {
		n.at = p
	}
	n.lost = n.lost || calls == nil || len(n.calls)+len(calls) > 2*maxEqual
	if !n.lost {
		n.calls = append(n.calls, calls...)
	}
}

// lostLists faults the reply if some lists count because of where they stand and others do
// not, unless these only tell of calls that count.
func (s *Scanner) lostLists() {
	n := &s.noted
	if s.ownList && n.at >= 0 && (n.lost || slices.ContainsFunc(n.calls, s.isLost)) {
		s.faultList(n.at)
	}
}

// isLost reports whether no call that counts is f, or has its tool if f has no arguments.
func (s *Scanner) isLost(f found) bool {
	return !slices.ContainsFunc(s.calls, func(c found) bool {
		return c.call.equals(&f.call) || c.call.Name == f.call.Name && string(f.call.Args) == "{}"
	})
}

func (s *Scanner) faultList(p int) {
	s.fault(ReasonMalformed, p, "lists of calls of known tools, alone on their lines")
}
