package parse

import "strings"

// thought is the thought that is open.
type thought struct {
	name string // of its tag, folded; "" for any
	kind thinkKind
	seen bool // some block was opened
	open bool // at the end of the text
}

type thinkKind uint8

const (
	thinkTag thinkKind = iota
	thinkHarmony
	thinkGemma
	thinkTemplate // opened by the prompt
)

// middle is an opening tag of a thought in the middle of a sentence: a thought
// only if it is closed later.
type middle struct {
	on    bool
	name  string // of the tag, folded
	piece int    // how many pieces stand before it
	calls int    // how many calls
}

// thinkTag acts on a tag of a thought.
func (s *Scanner) thinkTag(p, end int, t *tag) bool {
	name := thinkName(t)
	if t.close {
		return s.closeThought(p, end, name)
	}
	return s.openThought(p, end, thinkTag, name)
}

// thinkName folds the name of a thinking tag, so that an opening and its
// closing tag have the same.
func thinkName(t *tag) string {
	if t.key == "" { // it has brackets or triangles
		return t.name[:1]
	}
	return t.key
}

// openThought opens a thought at p. In the middle of a sentence it is one only
// if it is closed later.
func (s *Scanner) openThought(p, body int, kind thinkKind, name string) bool {
	if kind == thinkTag && !s.lead && !s.atLine(p) {
		if s.mid.on || s.fence.kind != fenceNone {
			return s.pass(p, body)
		}
		s.prefix = -1
		s.add(pieceText, p, dropNone)
		if s.beforeMid == nil {
			s.beforeMid = new(scanState)
		}
		*s.beforeMid = s.scanState
		s.mid = middle{on: true, piece: s.count(), calls: len(s.calls), name: name}
		s.hold(s.count())
		s.pos = body
		return true
	}
	if s.marker.pending && kind == thinkTag && s.marker.on {
		s.usedMarker(p)
		s.prefix = -1
	}
	if s.prefix >= 0 && !s.called {
		s.prefix = -1
	}
	if s.group.on {
		s.settleGroup()
	}
	s.drop(p, body, dropThinkTag)
	s.think = thought{name: name, kind: kind, seen: true}
	s.called = false
	s.state = stThink
	return true
}

// closeThought reads a closing tag where no thought is open: all before was
// thought if the template may have opened it.
func (s *Scanner) closeThought(p, end int, name string) bool {
	switch {
	case s.mid.on && s.mid.name == name:
		return s.closeMiddle(p, end)
	case s.think.seen || s.mid.on:
		if !s.lead && !s.called && !s.blankBefore(p) {
			return s.pass(p, end) // only mentioned
		}
		return s.drop(p, end, dropThinkTag)
	case p > 0 && (s.text[p-1] == '"' || s.text[p-1] == '\''):
		if end == len(s.text) && !s.eof {
			return false
		}
		if end < len(s.text) && s.text[end] == s.text[p-1] {
			return s.pass(p, end) // it stands in quotes: an answer tells of it
		}
	}
	s.add(pieceText, p, dropNone)
	s.takeBack(0, func(n piece) piece { return piece{kind: pieceThink, start: n.start, end: n.end} })
	s.calls, s.held = s.calls[:0], -1
	s.restart(end)
	s.add(pieceDrop, end, dropThinkTag)
	return true
}

// restart forgets what was read before end: it was thought.
func (s *Scanner) restart(end int) {
	old := s.scanState
	s.scanState.start(Options{})
	s.keep(&old)
	s.think.seen = true
	s.pos = end
}

// keep takes over what belongs to the text and not to its reading.
func (s *scanState) keep(old *scanState) {
	s.here, s.ahead, s.repeatCheck, s.repeatFloor = old.here, old.ahead, old.repeatCheck, old.repeatFloor
	s.openHeader = old.openHeader
}

// closeMiddle closes a thought that was opened in the middle of a sentence:
// what was read since then was thought.
func (s *Scanner) closeMiddle(p, end int) bool {
	m := s.mid
	s.add(pieceText, p, dropNone)
	s.held = -1
	s.rewrite(m.piece, func(n piece) piece { return piece{kind: pieceThink, start: n.start, end: n.end} })
	s.calls = s.calls[:m.calls]
	old := s.scanState
	s.scanState = *s.beforeMid
	s.keep(&old)
	s.mid = middle{}
	s.think.seen = true
	s.add(pieceDrop, end, dropThinkTag)
	s.state, s.pos = stText, end
	s.lead = true
	return true
}

// inThought looks for the end of a thought.
func (s *Scanner) inThought() bool {
	p, found := s.nextNeedle()
	if !found {
		return s.repeatDue() && s.lookForRepeat()
	}
	var t tag
	start, ok := s.thinkMarker(&t, p)
	switch {
	case ok == maybe:
		return s.awaitTag(p)
	case ok == yes && s.endsThought(&t):
		return s.leaveThought(start, start+t.n, &t)
	}
	s.pos = p + 1
	return true
}

// thinkMarker reads the marker at the needle p.
func (s *Scanner) thinkMarker(t *tag, p int) (start int, ok tri) {
	switch s.text[p] {
	case '<', '[':
		return p, lexMarker(t, s.text[p:], s.eof)
	case 0x97:
		if p > s.done && s.text[p-1] == 0xE2 {
			return p - 1, lexTriangle(t, s.text[p-1:], s.eof)
		}
	}
	return p, no
}

// endsThought reports whether t ends the thought that is open.
func (s *Scanner) endsThought(t *tag) bool {
	switch s.think.kind {
	case thinkHarmony:
		switch strings.ToLower(t.name) {
		case "end", "start", "channel", "return", "call":
			return t.bars
		}
		return false
	case thinkGemma:
		return t.kind == markChannel && t.close
	case thinkTemplate:
		return t.close && (t.kind == markThink || t.kind == markChannel)
	}
	return t.close && t.kind == markThink && thinkName(t) == s.think.name
}

// leaveThought ends the thought with the marker at p.
func (s *Scanner) leaveThought(p, end int, t *tag) bool {
	s.add(pieceThink, p, dropNone)
	s.state, s.lead = stText, true
	if s.think.kind == thinkHarmony && t.kind != markToken {
		s.pos = p // the next message begins here
		return true
	}
	s.add(pieceDrop, end, dropThinkTag)
	s.pos = end
	return true
}

// holdMiddle keeps holding what follows an unpaired thinking tag.
func (s *Scanner) holdMiddle() {
	if s.mid.on {
		s.hold(s.mid.piece)
	}
}
