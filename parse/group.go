package parse

// group is a run of tentative calls: what else stands in the reply or in the fence
// around them decides whether they are calls or text.
type group struct {
	on      bool
	inside  bool  // it is the content of a fence
	first   int   // its first piece
	beside  Span  // its first item, if it stands behind lists, which are calls in any case
	atFault fault // that counts if it is calls
}

// dissolve makes text of the tentative calls: other text stands in the reply or in the
// fence around them.
func (s *Scanner) dissolve() {
	if s.group.on {
		s.faultLost()
		s.faultBeside()
		if s.held >= 0 && s.at(s.group.first).reason == dropFence {
			s.fence.used = false // it is text with what it holds
		}
		s.settle(s.group.first, pieceText)
		s.holdMiddle()
	}
	s.endGroup()
}

// faultLost faults the reply if a call that was surely meant is lost when the tentative
// ones become text: one of a list that holds a call for certain, or one that counts by
// itself and follows tentative ones.
func (s *Scanner) faultLost() {
	for i := s.group.first; i < s.count(); i++ {
		p := s.at(i)
		if p.kind != pieceHeld {
			continue
		}
		switch f := s.calls[p.call]; {
		case f.orMalformed:
			s.fault(ReasonMalformed, p.start, "a list of calls of known tools")
			return
		case f.sure:
			s.fault(ReasonMalformed, s.at(s.group.first).start, "calls alone, or marked ones")
			return
		}
	}
}

// faultBeside faults the reply if the first tentative call stands on a line of its own,
// behind lists of calls that are run: it was meant as they were, and becomes text.
func (s *Scanner) faultBeside() {
	if b := s.group.beside; b.End > 0 && s.endsLine(b.End) {
		s.fault(ReasonMalformed, b.Start, "calls alone, or a list of them")
	}
}

// beginGroup begins tentative calls with the item from start to end.
func (s *Scanner) beginGroup(start, end int) {
	if s.group.on {
		return
	}
	s.group.on, s.group.inside, s.group.first = true, s.fence.kind == fenceCalls, s.count()
	if s.wasList && s.called && s.fence.kind == fenceNone {
		s.group.beside = Span{start, end}
	}
}

// confirm makes calls of tentative calls.
func (s *Scanner) confirm() {
	if s.group.on {
		s.settle(s.group.first, pieceCall)
		s.holdMiddle()
		s.atFault.set(s.group.atFault)
	}
	s.endGroup()
}

// settleGroup settles the tentative calls where the reply ends: they count if it holds
// nothing else.
func (s *Scanner) settleGroup() {
	if s.group.on && s.onlyCalls {
		s.confirm()
		return
	}
	s.dissolve()
}

// groupAtEnd settles tentative calls at the end of the reply.
func (s *Scanner) groupAtEnd() {
	if s.state != stText || !s.lead {
		s.dissolve()
		return
	}
	s.countByEnd()
	s.confirm()
}

// countByEnd makes the tentative calls count only if the text ends here.
func (s *Scanner) countByEnd() {
	for i := s.group.first; i < s.count(); i++ {
		if p := s.at(i); p.kind == pieceHeld {
			s.calls[p.call].byEnd = true
		}
	}
}

// endGroup forgets the group, which is decided.
func (s *Scanner) endGroup() {
	s.group = group{}
	s.wasList = false
}
