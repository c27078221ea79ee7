package parse

import "strings"

// release makes pieces of what is certain when a chunk has been read.
func (s *Scanner) release() {
	switch s.state {
	case stOver:
		s.add(pieceDrop, len(s.text), s.over)
	case stThink:
		s.add(pieceThink, cutRune(s.text, min(s.pos, s.thinkSafe())), dropNone)
	case stBlocked:
		end := s.tokenAtEnd()
		if i := endTokenAt(s.text[s.pos:]); i > 0 {
			end = min(end, s.pos+i)
		}
		s.add(pieceText, cutRune(s.text, min(end, s.repeatCheck)), dropNone)
	case stRest:
		s.add(pieceText, cutRune(s.text, s.tokenAtEnd()), dropNone)
	case stText, stData:
		if s.pos > s.done && !s.lead && s.prefix < 0 {
			s.add(pieceText, s.safe(), dropNone)
		}
	default:
		if s.prefix < 0 {
			s.add(pieceText, s.constructStart(), dropNone)
		}
	}
}

// constructStart returns where the construct begins that is being read: what stands
// before it is text.
func (s *Scanner) constructStart() int {
	switch s.state {
	case stCandidate, stEscaped, stLineRest, stSpan, stPython:
		return s.cand.start
	case stFence:
		return s.fenceRun.at
	case stNamed, stTagArgs, stAction, stInput:
		return s.named.start
	case stHeader:
		return s.pos
	}
	return s.done
}

// safe is the offset up to which text cannot become a part of a construct.
func (s *Scanner) safe() int {
	p := cutRune(s.text, s.pos)
	if s.reactThought {
		p = min(p, s.actionAtEnd())
	}
	line := s.behindLast(s.ahead.start(s.text, len(s.text)))
	if s.pos-line > maxTag {
		return p
	}
	rest := trimLeft(s.text[line:], blankMarks)
	if len(s.text)-len(rest) < s.done { // a part of it has been released
		return p
	}
	rest = rest[labelLead(rest):]
	if rest == "" || mayBeLead(rest) || mayBeLabel(rest) || holdsRecipient(rest) {
		return min(p, line)
	}
	if _, n := lexLabel(rest); len(s.text)-len(rest)+n > s.pos { // its colon has not been looked at
		return min(p, line)
	}
	return p
}

// actionAtEnd returns where the label of an action may begin behind other text on the
// last line.
func (s *Scanner) actionAtEnd() int {
	from := max(s.done, len(s.text)-len("Action")-maxBeforeColon)
	if i := strings.LastIndexByte(s.text[from:], 'A'); i >= 0 && mayBeLabel(s.text[from+i:]) {
		return from + i
	}
	return len(s.text)
}

// thinkSafe is the offset up to which a thought cannot become a marker.
func (s *Scanner) thinkSafe() int {
	n := len(s.text)
	for i := 1; i <= 2 && i <= n; i++ { // the first bytes of ◁
		if s.text[n-i] == 0xE2 {
			return n - i
		}
	}
	return n
}

// tokenAtEnd returns where the control token begins that the text ends in, or in what
// may become one; up to maxLook bytes of white space may follow it. Without such a
// token it returns the end of the text.
func (s *Scanner) tokenAtEnd() int {
	blank := max(0, len(s.text)-maxLook)
	end := blank + len(strings.TrimRight(s.text[blank:], " \t\r\n"))
	if end == blank {
		return len(s.text)
	}
	from := min(end, max(s.done, end-maxTag))
	i := strings.LastIndexByte(s.text[from:end], '<')
	if i < 0 {
		return len(s.text)
	}
	i += from
	var t tag
	ok := lexTag(&t, s.text[i:], s.eof)
	if ok == maybe || ok == yes && t.kind == markToken && t.bars && i+t.n == end {
		return i
	}
	return len(s.text)
}

// cutToken returns where the first control token that ends a turn stands in [from, end), or end.
func (s *Scanner) cutToken(from, end int) int {
	for i := from; i < end; i++ {
		j := strings.IndexByte(s.text[i:end], '<')
		if j < 0 {
			break
		}
		i += j
		var t tag
		if lexTag(&t, s.text[i:], true) == yes && t.endsTurn() && t.bars {
			return i
		}
	}
	return end
}
