// Package byteset finds the next byte of a set in a text. A parser of replies
// spends most of its time passing over text without a byte that matters to it;
// with AVX2 that costs about as much as reading memory.
package byteset

import (
	"slices"
	"unsafe"
)

// A Set is a set of bytes. It never changes once made.
type Set struct {
	has     [256]byte // 1 or 0
	nibbles nibbles
	exact   bool // nibbles holds the same set; some sets do not fit
}

// nibbles is a set in the form that two shuffle instructions can look up: a byte is
// in it if the entries for its lower and for its upper four bits share a bit.
type nibbles struct {
	low, high [16]byte
}

// New makes the set of the bytes for which has is true.
func New(has func(c byte) bool) *Set {
	s := &Set{}
	for c := range 256 {
		if has(byte(c)) {
			s.has[c] = 1
		}
	}
	s.nibbles, s.exact = nibblesOf(s.has)
	return s
}

// nibblesOf makes the entries. Upper halves that go with the same lower halves share
// a bit; it reports false if that takes more than the eight bits of an entry.
func nibblesOf(has [256]byte) (n nibbles, ok bool) {
	var rows [][16]byte // of each bit
	for high := range n.high {
		row := [16]byte(has[16*high:])
		if row == [16]byte{} {
			continue
		}
		i := slices.Index(rows, row)
		if i < 0 {
			if i = len(rows); i == 8 {
				return nibbles{}, false
			}
			rows = append(rows, row)
		}
		n.high[high] = 1 << i
		for low, in := range row {
			n.low[low] |= in << i
		}
	}
	return n, true
}

// Has reports whether c is in the set.
func (s *Set) Has(c byte) bool { return s.has[c] != 0 }

// In reports whether a byte of the set stands in text. It is for short texts, such
// as one chunk of a stream.
func (s *Set) In(text string) bool {
	for ; len(text) >= 4; text = text[4:] {
		if s.has[text[0]]|s.has[text[1]]|s.has[text[2]]|s.has[text[3]] != 0 {
			return true
		}
	}
	for i := range len(text) {
		if s.has[text[i]] != 0 {
			return true
		}
	}
	return false
}

// block is how many bytes index looks at together.
const block = 32

// Index returns the offset of the first byte of the set in text at or behind
// from, or len(text) if there is none.
func (s *Set) Index(text string, from int) int {
	if fast && s.exact && len(text)-from >= block {
		rest := text[from:]
		return from + index(unsafe.StringData(rest), len(rest), &s.nibbles)
	}
	return s.slow(text, from)
}

// slow is Index without vector instructions, and for short texts.
func (s *Set) slow(text string, from int) int {
	for ; from+8 <= len(text); from += 8 {
		w := text[from : from+8]
		if s.has[w[0]]|s.has[w[1]]|s.has[w[2]]|s.has[w[3]]|s.has[w[4]]|s.has[w[5]]|s.has[w[6]]|s.has[w[7]] != 0 {
			break
		}
	}
	for from < len(text) && s.has[text[from]] == 0 {
		from++
	}
	return from
}
