// Package byteset finds the next byte of a set in a text. A parser of replies
// spends most of its time passing over text in which nothing stands that means
// something; with AVX2 that costs about as much as reading memory.
package byteset

import "unsafe"

// A Set is a set of bytes. It never changes once made.
type Set struct {
	has [256]bool

	// A byte is in the set if the entries of its lower and of its upper four
	// bits share a bit: low has its 16 entries, then high.
	low, high [16]byte
	exact     bool // the entries say just what has says
}

// New makes the set of the bytes for which has is true.
func New(has func(c byte) bool) *Set {
	s := &Set{}
	for c := range 256 {
		s.has[c] = has(byte(c))
	}
	s.exact = s.fill()
	return s
}

// fill makes the entries: each bit stands for the upper halves whose members have
// the same lower halves. It reports false if eight bits do not suffice.
func (s *Set) fill() bool {
	rows := map[[16]bool]byte{}
	for high := range 16 {
		row := [16]bool(s.has[16*high:])
		if row == [16]bool{} {
			continue
		}
		bit, ok := rows[row]
		if !ok {
			if len(rows) == 8 {
				return false
			}
			bit = 1 << len(rows)
			rows[row] = bit
		}
		s.high[high] = bit
		for low, in := range row {
			if in {
				s.low[low] |= bit
			}
		}
	}
	return true
}

// Has reports whether c is in the set.
func (s *Set) Has(c byte) bool { return s.has[c] }

// block is how many bytes are looked at together.
const block = 32

// Index returns the offset of the first byte of the set in text at or behind
// from, or len(text) if there is none.
func (s *Set) Index(text string, from int) int {
	if len(text)-from >= block && s.exact && fast {
		p := unsafe.StringData(text)
		return from + index((*byte)(unsafe.Add(unsafe.Pointer(p), from)), len(text)-from, &s.low)
	}
	for from < len(text) && !s.has[text[from]] {
		from++
	}
	return from
}
