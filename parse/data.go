package parse

// maxData is the length of the longest object that is passed over unread.
const maxData = 64

// data looks at the object at p, in prose: it may be plain data, or nothing that was
// meant as an object.
func (s *Scanner) data(p int) bool {
	t, more := s.glance(p)
	key := blanks(t, p+1)
	if key == len(t) && more {
		return false
	}
	if key == len(t) || t[key] != '"' {
		return s.object(p)
	}
	s.state, s.pos = stData, p
	if more && !dataEnds.In(t[p:]) {
		return s.await(dataEnds, p+maxData)
	}
	return s.inData()
}

// glance returns the text as far as an object at p is looked at, and whether more of
// it may come.
func (s *Scanner) glance(p int) (t string, more bool) {
	t = s.text[:min(len(s.text), p+maxData)]
	return t, len(t) < p+maxData && !s.eof
}

// inData passes over the object at pos if it is plain data, and begins to read it
// if not.
func (s *Scanner) inData() bool {
	p := s.pos
	end, ok := s.dataAt(p)
	if ok == maybe {
		return s.await(dataEnds, p+maxData)
	}
	s.state = stText
	if ok == no {
		return s.object(p)
	}
	s.floorAt(end)
	return s.pass(p, blanks(s.text, end))
}

// dataAt tells at a glance whether the object at p is plain data, and where it
// ends: short and flat, ordinary JSON, without a key that a call would have.
// Answers hold long runs of such objects. It is maybe if that needs more text,
// and no if the object has to be read.
func (s *Scanner) dataAt(p int) (end int, ok tri) {
	t, more := s.glance(p)
	cut := no
	if more {
		cut = maybe
	}
	i := p + 1
	for first := true; ; first = false {
		key := blanks(t, i)
		if i, ok = stringEnd(t, key); ok != yes {
			return 0, min(ok, cut)
		}
		if s.callKey(t[key+1:i-1], first) {
			return 0, no
		}
		if i = blanks(t, i); i == len(t) {
			return 0, cut
		}
		if t[i] != ':' {
			return 0, no
		}
		if i, ok = scalarEnd(t, blanks(t, i+1)); ok != yes {
			return 0, min(ok, cut)
		}
		if i = blanks(t, i); i == len(t) {
			return 0, cut
		}
		switch t[i] {
		case '}':
			return i + 1, yes
		case ',':
			i++
		default:
			return 0, no
		}
	}
}

// callKey reports whether an object with this key may be a call.
func (s *Scanner) callKey(key string, first bool) bool {
	return isNameKey(key) || isWrapperKey(key) || first && s.reg.known(key)
}

// blanks passes over spaces from i on.
func blanks(t string, i int) int {
	for i < len(t) && t[i] == ' ' {
		i++
	}
	return i
}

// stringEnd returns where the plain string at i ends; it is maybe if t ends first.
func stringEnd(t string, i int) (end int, ok tri) {
	if i == len(t) {
		return 0, maybe
	}
	if t[i] != '"' {
		return 0, no
	}
	for i++; i < len(t); i++ {
		if doubleStops.Has(t[i]) {
			if t[i] != '"' {
				return 0, no
			}
			return i + 1, yes
		}
	}
	return 0, maybe
}

// scalarEnd is stringEnd for a number, true, false and null, too.
func scalarEnd(t string, i int) (end int, ok tri) {
	if n := digits(t[i:]); n == 1 || n > 1 && t[i] != '0' {
		if i+n < len(t) && !isWordByte(t[i+n]) {
			return i + n, yes // an integer, as most are
		}
	}
	end = i
	for end < len(t) && isWordByte(t[end]) {
		end++
	}
	if end == i {
		return stringEnd(t, i)
	}
	if end == len(t) {
		return 0, maybe // it may go on
	}
	if lit, _ := literal(t[i:end]); lit == "" && !isNumber(t[i:end]) {
		return 0, no
	}
	return end, yes
}
