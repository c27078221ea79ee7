package parse

import "strings"

// maxData is the length of the longest object that is passed over unread.
const maxData = 64

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
	return s.plain(p, end)
}

// dataAt tells at a glance whether the object at p is plain data, and where it
// ends: short and flat, ordinary JSON, without a key that a call would have.
// Answers hold long runs of such objects. It is maybe if that needs more text,
// and no if the object has to be read.
func (s *Scanner) dataAt(p int) (end int, ok tri) {
	t, cut := s.text[:min(len(s.text), p+maxData)], no
	if len(t) < p+maxData && !s.eof {
		if cut = maybe; strings.IndexByte(t[p:], '}') < 0 {
			return 0, maybe
		}
	}
	due, end := expectKey, p+1
	for first := true; ; {
		kind, start, next := glance(t, end)
		end = next
		switch {
		case kind == 0:
			return 0, cut
		case due == expectKey && kind == '"':
			if s.callKey(t[start+1:end-1], first) {
				return 0, no
			}
			due, first = expectColon, false
		case due == expectColon && kind == ':':
			due = expectValue
		case due == expectValue && (kind == '"' || kind == '0'):
			due = expectAfter
		case due == expectAfter && kind == ',':
			due = expectKey
		case due == expectAfter && kind == '}':
			return end, yes
		default:
			return 0, no
		}
	}
}

// callKey reports whether an object with this key may be a call.
func (s *Scanner) callKey(key string, first bool) bool {
	return isNameKey(key) || isWrapperKey(key) || first && s.reg.known(key)
}

// glance finds the token at t[i:], behind blanks. Its kind is its first byte, '0'
// for any number or literal, 0 if t ends before it does, and '!' for what is not
// ordinary.
func glance(t string, i int) (kind byte, start, end int) {
	for i < len(t) && t[i] == ' ' {
		i++
	}
	if i == len(t) {
		return 0, i, i
	}
	kind, start, end = t[i], i, i+1
	switch {
	case kind == '"':
		end = doubleStops.Index(t, end) + 1
		if end <= len(t) && t[end-1] != '"' {
			kind = '!'
		}
	case isWordByte(kind):
		for kind = '0'; end < len(t) && isWordByte(t[end]); end++ {
		}
		if lit, _ := literal(t[start:end]); lit == "" && !isNumber(t[start:end]) {
			kind = '!'
		}
		if end == len(t) {
			kind = 0 // it may go on
		}
	}
	if end > len(t) {
		kind = 0
	}
	return kind, start, end
}
