package parse

import "slices"

// pieceKind is what a part of the reply turned out to be.
type pieceKind uint8

const (
	pieceNone pieceKind = iota
	pieceText
	pieceThink
	pieceDrop
	pieceCall
	pieceHeld // a call that may still turn out to be text
)

// A piece is a part of the reply. Pieces are adjacent and cover it up to done.
type piece struct {
	start, end int
	call       int32 // index into calls, of a call
	kind       pieceKind
	reason     dropReason // of a drop
}

// pieces are what has been made of the reply. The last one is kept apart, so
// that a reply of a single piece needs no list.
type pieces struct {
	list  []piece
	last  piece
	calls []found
	done  int // where the last piece ends

	held       int  // index of the first piece that may still change, or -1
	sent       int  // offset up to which events were sent
	sentPieces int  // how many pieces of the list were sent whole
	sentCalls  int  // how many calls were sent
	split      bool // the next piece is not joined to the last
	stopped    bool // the stop event was sent
}

func (p *pieces) start() {
	clear(p.calls)
	*p = pieces{list: p.list[:0], calls: p.calls[:0], held: -1}
}

// add makes a piece of all from done up to end, or adds it to the last piece if that
// is of the same kind.
func (p *pieces) add(kind pieceKind, end int, reason dropReason) {
	if end <= p.done {
		return
	}
	if p.last.kind == kind && p.last.reason == reason && !p.split && kind != pieceCall && kind != pieceHeld {
		p.last.end, p.done = end, end
		return
	}
	p.split = false
	p.push(piece{kind: kind, start: p.done, end: end, reason: reason})
}

// push makes n the last piece.
func (p *pieces) push(n piece) {
	if p.last.kind != pieceNone {
		if n := len(p.list); n == cap(p.list) {
			p.list = slices.Grow(p.list, n+1) // twice as long: append grows long ones by less, and copies more
		}
		p.list = append(p.list, p.last)
	}
	p.last, p.done = n, n.end
}

// addCall makes a piece of the call f, all up to end; held says that it may
// still turn out to be text.
func (p *pieces) addCall(f found, end int, held bool) {
	p.calls = append(p.calls, f)
	n := piece{kind: pieceCall, start: p.done, end: end, call: int32(len(p.calls) - 1)}
	if held {
		n.kind = pieceHeld
	}
	p.push(n)
	if held {
		p.hold(len(p.list))
	}
}

// hold keeps the pieces from index i on from being sent.
func (p *pieces) hold(i int) {
	if p.held < 0 || i < p.held {
		p.held = i
	}
	p.split = p.split || i == p.count()
}

// at returns piece i, the last one included.
func (p *pieces) at(i int) *piece {
	if i < len(p.list) {
		return &p.list[i]
	}
	return &p.last
}

// count is the number of pieces.
func (p *pieces) count() int {
	if p.last.kind == pieceNone {
		return 0
	}
	return len(p.list) + 1
}

// settle decides the held pieces from index from on: calls or text.
func (p *pieces) settle(from int, kind pieceKind) {
	if p.held < 0 {
		return
	}
	p.held = -1
	if kind == pieceCall {
		for i := from; i < p.count(); i++ {
			if p.at(i).kind == pieceHeld {
				p.at(i).kind = pieceCall
			}
		}
		return
	}
	p.rewrite(from, func(n piece) piece {
		switch n.reason {
		case dropSeparator, dropWrapper, dropStray, dropMarker, dropFence:
			return piece{kind: pieceText, start: n.start, end: n.end}
		}
		if n.kind == pieceHeld {
			n.kind = pieceText
		}
		return n
	})
}

// rewrite changes the pieces from index i on and joins equal neighbours.
func (p *pieces) rewrite(i int, change func(piece) piece) {
	var old []piece
	for k := i; k < p.count(); k++ {
		old = append(old, change(*p.at(k)))
	}
	if len(old) == 0 {
		return
	}
	p.sentPieces = min(p.sentPieces, max(i-1, 0)) // the piece before may grow
	if i > 0 {
		p.last = p.list[i-1]
		p.list = p.list[:i-1]
	} else {
		p.last = piece{}
		p.list = p.list[:0]
	}
	p.done = old[0].start
	for _, n := range old {
		if n.kind == pieceCall || n.kind == pieceHeld {
			p.push(n)
			continue
		}
		p.add(n.kind, n.end, n.reason)
	}
}

// emit makes events of what is certain.
func (s *Scanner) emit() {
	switch {
	case s.muted || s.sent == s.done && s.state != stOver:
	case s.held < 0 && s.sentPieces == len(s.list) && s.state != stOver:
		s.emitPiece(&s.last) // it is new, or went on
	default:
		s.emitPieces()
	}
}

func (s *Scanner) emitPieces() {
	n := s.count()
	if s.held >= 0 {
		n = min(n, s.held)
	}
	for i := s.sentPieces; i < n; i++ {
		if s.state == stOver && s.at(i).start >= s.overAt {
			s.stop()
		}
		s.emitPiece(s.at(i))
		if i < len(s.list) {
			s.sentPieces = i + 1
		}
	}
	if s.state == stOver && (s.done <= s.overAt || s.held >= 0) {
		s.stop()
	}
}

// stop says that nothing that follows can matter.
func (s *Scanner) stop() {
	if !s.stopped && !s.eof {
		s.stopped = true
		s.events = append(s.events, Event{Kind: EventStop})
	}
}

// takeBack changes the pieces from index i on, which turned out to be something
// else, and sends [EventRetract]. What was certain before is sent first, so that how
// the reply is cut into chunks makes no difference.
func (s *Scanner) takeBack(i int, change func(piece) piece) {
	s.emit()
	s.rewrite(min(i, s.count()), change)
	s.sentCalls = 0
	if !s.muted {
		s.events = append(s.events, Event{Kind: EventRetract})
	}
}

// emitPiece makes an event of the part of a piece that was not sent.
func (s *Scanner) emitPiece(p *piece) {
	from := max(p.start, s.sent)
	end := p.end
	if from >= end {
		return
	}
	s.sent = end
	s.events = append(s.events, Event{})
	e := &s.events[len(s.events)-1]
	e.Span = Span{from, end}
	switch p.kind {
	case pieceText:
		e.Kind, e.Text = EventText, s.text[from:end]
	case pieceThink:
		e.Kind, e.Text = EventThinking, s.text[from:end]
	case pieceDrop:
		e.Kind, e.Reason = EventDrop, p.reason.String()
	case pieceCall:
		c := s.calls[p.call].call
		e.Kind, e.Index, e.Call = EventCall, s.sentCalls, &c
		s.sentCalls++
	}
}

// dropReason is why a span counts as nothing.
type dropReason uint8

const (
	dropNone dropReason = iota
	dropMarker
	dropFence
	dropToken
	dropThinkTag
	dropSeparator
	dropWrapper
	dropStray
	dropPseudo
	dropLabel
	dropEdge
	dropResult
	dropTurn
	dropRepetition
	dropTooLarge
)

var dropReasons = [...]string{
	dropMarker: "marker", dropFence: "fence", dropToken: "token", dropThinkTag: "thinking-tag", dropSeparator: "separator",
	dropWrapper: "wrapper", dropStray: "stray-closer", dropPseudo: "pseudo-call", dropLabel: "label", dropEdge: "edge",
	dropResult: DroppedResult, dropTurn: DroppedTurn, dropRepetition: DroppedRepetition, dropTooLarge: DroppedTooLarge,
}

func (r dropReason) String() string { return dropReasons[r] }
