package parse

import "strings"

// A reply repeats itself if its last bytes are one unit over and over.
const (
	repeatWindow = 4 << 10 // how many bytes
	repeatUnit   = 256     // the longest unit, in bytes
	repeatBraces = 8       // so many opening braces in a row are enough
)

// repeatDue reports whether the text reaches the next check.
func (s *Scanner) repeatDue() bool { return s.repeatCheck <= len(s.text) }

// lookEnd returns how far the text may be read, from from on, before repetition has to
// be looked for again.
func (s *Scanner) lookEnd(from int) int {
	if s.repeatDue() {
		return max(s.repeatCheck, from)
	}
	return len(s.text)
}

// lookForRepeat looks at the window that ends at the next check. It reports
// false if the reply ends there.
func (s *Scanner) lookForRepeat() bool {
	at := s.repeatCheck
	s.repeatCheck += repeatWindow
	if at-repeatWindow < s.repeatFloor || at < s.done || !repeats(s.text[at-repeatWindow:at]) {
		return true
	}
	return s.repetition(cutRune(s.text, at))
}

// lastRepeat looks for repetition at the very end.
func (s *Scanner) lastRepeat() {
	n := len(s.text)
	if n-repeatWindow < s.repeatFloor || n < repeatWindow || s.atFault.is() || s.think.open || !repeats(s.text[n-repeatWindow:]) {
		return
	}
	if len(s.calls) == 0 {
		s.fault(ReasonRepetition, n-repeatWindow, "text that goes on")
	}
}

// repeats reports whether w is one unit of at most repeatUnit bytes over and
// over. Any such text also repeats after some multiple of its unit that lies in
// the upper half of what a unit may be.
func repeats(w string) bool {
	head := w[:8]
	for u := repeatUnit/2 + 1; u <= repeatUnit; u++ {
		i := strings.Index(w[u:repeatUnit+len(head)], head)
		if i < 0 {
			return false
		}
		if u += i; w[u:] == w[:len(w)-u] {
			return true
		}
	}
	return false
}

// repetition ends the reply at p: what follows is the same for ever.
func (s *Scanner) repetition(p int) bool {
	certain := len(s.calls) > 0 && !s.group.on
	switch s.state {
	case stThink:
		s.add(pieceThink, p, dropNone)
	case stComment:
		if !certain || !s.called {
			s.prose(s.cand.start)
		}
		s.add(pieceText, p, dropNone)
	default:
		s.prose(p)
		s.add(pieceText, p, dropNone)
	}
	if !certain {
		s.fault(ReasonRepetition, p, "text that goes on")
	}
	s.prefix = -1
	s.endAt(p, dropRepetition)
	s.pos = len(s.text)
	return false
}

// floorAt says that repetition is looked for behind p only.
func (s *Scanner) floorAt(p int) {
	s.repeatFloor = p
	if next := (p/repeatWindow + 2) * repeatWindow; s.repeatCheck < next {
		s.repeatCheck = next
	}
}

// maxEqual is how many equal calls in a row are meant.
const maxEqual = 8

// countEqual counts equal calls in a row, the last one included.
func (s *Scanner) countEqual() {
	n := len(s.calls)
	if n > 1 {
		if s.calls[n-2].call.equals(&s.calls[n-1].call) {
			s.equal++
			return
		}
	}
	s.equal = 1
}

// equals reports whether two calls are the same.
func (c *Call) equals(d *Call) bool { return c.Name == d.Name && string(c.Args) == string(d.Args) }

// tooManyEqual ends a reply that says the same call over and over.
func (s *Scanner) tooManyEqual() {
	s.confirm()
	last := s.calls[len(s.calls)-1].call
	s.fault(ReasonRepetition, last.Span.Start, "at most 8 equal calls in a row")
	s.endAt(s.pos, dropRepetition)
}
