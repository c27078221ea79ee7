package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// inText goes on to the next byte that may begin something.
func (s *Scanner) inText() bool {
	if s.lead {
		return s.atLead()
	}
	if p, ok := s.nextNeedle(); ok {
		return s.construct(p)
	}
	return s.repeatDue() && s.lookForRepeat()
}

// needles are the bytes that may begin something: objects, lists, tags, fences
// and spans, labels at the start of a line, and the middle byte of ◁. In prose a
// line break may, too.
var (
	needles   = byteset.New(isNeedle)
	proseEnds = byteset.New(func(c byte) bool { return isNeedle(c) || c == '\n' })
)

func isNeedle(c byte) bool { return strings.IndexByte("{[<~>:`\x97", c) >= 0 }

// nextNeedle goes on to the next byte that may begin something. It reports false
// if none stands before the end of the text or the next look for repetition.
func (s *Scanner) nextNeedle() (p int, ok bool) {
	end := s.lookEnd(s.pos)
	if s.pos == end || !needles.Has(s.text[s.pos]) {
		s.pos = needles.Index(s.text[:end], s.pos)
	}
	return s.pos, s.pos < end
}

// construct reads what may begin at p. It reports false if more text is needed.
func (s *Scanner) construct(p int) bool {
	switch s.text[p] {
	case '{':
		return s.brace(p)
	case '[':
		return s.bracket(p)
	case '<':
		return s.angle(p)
	case '`', '~':
		return s.fenceOrSpan(p)
	case ':':
		return s.colon(p)
	case '>':
		return s.arrows(p)
	case 0x97:
		return s.triangle(p)
	}
	return s.pass(p, p+1)
}

// pass passes over text that begins nothing, from p to next.
func (s *Scanner) pass(p, next int) bool {
	s.prose(p)
	s.pos = next
	return true
}

// prose notes that text that is no call stands at p.
func (s *Scanner) prose(p int) {
	if !s.lead && !s.onlyCalls {
		s.prefix = -1
		return
	}
	if s.marker.on && s.marker.pending {
		s.usedMarker(p)
	}
	if s.marker.on && !s.marker.pending {
		s.leaveMarker(p)
	}
	s.lead, s.called, s.impliedTag, s.soft = false, false, false, false
	s.prefix = -1
	if s.group.inside && !strings.Contains(s.text[s.callEnd:p], "\n") {
		s.fault(ReasonMalformed, p, "the end of the line")
	}
	if s.onlyCalls || s.group.on {
		s.dissolve()
	}
	s.onlyCalls = false
	s.fence.text = true
}

// atLead looks at what stands where a call may begin without a bracket.
func (s *Scanner) atLead() bool {
	p := s.skipSpace(s.pos)
	if s.called {
		s.stringGoesOn(p)
		p = s.skipSeparators(p)
	}
	s.pos = p
	if p == len(s.text) || s.called && s.text[p:] == `\` && !s.eof {
		return false
	}
	c := s.text[p]
	switch {
	case s.fence.kind == fencePython && c != '[' && !(s.fence.used && c == s.fence.char):
		return s.blockFence(p)
	case c == '`' && s.closesInput(p):
		return s.drop(p, p+1, dropFence)
	case c == '`' || c == '~':
		return s.fenceOrSpan(p)
	case c == '{' || c == '[' || c == '<' || c == '>':
		return s.construct(p)
	case s.called && (c == '}' || c == ']' || c == ')'):
		return s.stray(p)
	case s.called && c == '"':
		return s.quoteBehind(p)
	case (c == '#' || c == '/') && s.mayComment(p):
		return s.comment(p)
	case c >= utf8.RuneSelf:
		return s.leadWide(p)
	}
	if s.marker.on && s.marker.pending {
		return s.afterMarker(p)
	}
	return s.orPass(s.leadWord(p), p)
}

// leadWide looks at a character beyond ASCII at the lead.
func (s *Scanner) leadWide(p int) bool {
	rest := s.text[p:]
	if !utf8.FullRuneInString(rest) && !s.eof {
		return false
	}
	if s.onlyCalls || s.called { // an edge of the reply, or it may be one
		if r, n := utf8.DecodeRuneInString(rest); isInvisible(r) {
			return s.drop(p, p+n, dropEdge)
		}
	}
	if strings.HasPrefix(rest, "◁") {
		return s.triangle(p + 1)
	}
	if s.atLine(p) || s.called {
		if l, n := lexLabel(rest); l != labelNone {
			return s.onLabel(p, l, n)
		}
		if !s.eof && mayBeLabel(rest) {
			return false
		}
	}
	if s.marker.on && s.marker.pending {
		return s.afterMarker(p)
	}
	if strings.HasPrefix(rest, "“") && s.mayBeWhole() {
		return s.orPass(s.quotedAt(p), p)
	}
	return s.pass(p, p)
}

// drop makes a dropped piece of [start, end) and passes over it; what was open
// before it is text, unless it belongs to a call.
func (s *Scanner) drop(start, end int, reason dropReason) bool {
	s.lead, s.pos = true, end
	if s.prefix >= 0 && (s.marker.pending || s.impliedTag) && reason == dropToken {
		return true // decided with the marker
	}
	if s.prefix >= 0 && s.called {
		s.add(pieceText, s.prefix, dropNone)
		s.add(pieceDrop, start, dropSeparator)
	}
	s.prefix = -1
	s.add(pieceText, start, dropNone)
	s.add(pieceDrop, end, reason)
	return true
}

// beginPrefix notes that what begins at p belongs to a call if one follows.
func (s *Scanner) beginPrefix(p int) {
	if s.prefix < 0 {
		s.add(pieceText, p, dropNone)
		s.prefix = p
	}
}

func (s *Scanner) skipSpace(p int) int {
	for p < len(s.text) && isSpace(s.text[p]) {
		p++
	}
	return p
}

// maxLook is how many bytes of white space are passed over to see what follows.
const maxLook = 1024

// lookPast returns where the white space at p ends, of which it looks at maxLook
// bytes at most.
func (s *Scanner) lookPast(p int) int {
	for end := min(len(s.text), p+maxLook); p < end && isSpace(s.text[p]); {
		p++
	}
	return p
}
