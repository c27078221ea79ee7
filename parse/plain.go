package parse

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// plain reads ordinary JSON, from pos on, and stops before the first token that
// needs a second thought or is not here to its end. What is ordinary is written
// as it stands, and most of what models write is. It reports whether it came to
// the end of the candidate or of the text.
func (r *reader) plain() bool {
	if len(r.stack) == 0 || r.tail != tailNone || r.single {
		return false
	}
	f := &r.stack[len(r.stack)-1]
	for f.kind == '{' || f.kind == '[' {
		if r.pos == len(r.text) {
			return true
		}
		c := r.text[r.pos]
		switch {
		case c == ' ':
			r.pos++
			continue
		case c == '\n':
			r.newline = true
			r.pos++
			continue
		}
		if r.expect == expectKey && c == '"' && r.plainKey() {
			if r.expect != expectValue || r.pos == len(r.text) || r.text[r.pos] <= ' ' {
				continue
			}
			c = r.text[r.pos] // of its value
		}
		switch r.expect {
		case expectKey:
		case expectColon:
			if c == ':' {
				r.pos++
				r.expect, r.sure = expectValue, true
				continue
			}
		case expectAfter:
			if c == ',' {
				r.plainComma(f)
				continue
			}
		default:
			switch {
			case c == '"':
				if r.inArgs() && strings.HasPrefix(r.text[r.pos:], `""`) || !r.plainString(f) {
					return false
				}
				r.plainComma(f)
				continue
			case (c == '{' || c == '[') && len(r.stack) < maxDepth:
				r.push(c)
				f = &r.stack[len(r.stack)-1]
				continue
			case r.plainWord(f):
				r.plainComma(f)
				continue
			}
		}
		if c != f.kind+2 || r.expect != expectAfter && (f.n > 0 || r.comma >= 0 || r.expect == expectColon) {
			return false
		}
		r.pos++
		if r.pop(); len(r.stack) == 0 || r.failed() { // a key stands twice
			return true
		}
		f = &r.stack[len(r.stack)-1]
	}
	return r.pos == len(r.text)
}

// plainComma reads the comma behind a value of f, if it is here.
func (r *reader) plainComma(f *frame) {
	if r.pos < len(r.text) && r.text[r.pos] == ',' {
		f.commas++
		r.comma = r.pos
		r.pos++
		r.next(f.kind)
		r.passSpace()
	}
}

// passSpace passes over the space that mostly stands behind a colon or a comma.
func (r *reader) passSpace() {
	if r.pos < len(r.text) && r.text[r.pos] == ' ' {
		r.pos++
	}
}

// plainKey reads a key, and the colon behind it if it is here. It reports false,
// and has done nothing, where [reader.passString] does.
func (r *reader) plainKey() bool {
	if !r.passString() {
		return false
	}
	r.beginKey()
	r.out = append(r.out, r.text[r.tokAt:r.pos]...)
	r.endKey()
	if r.pos < len(r.text) && r.text[r.pos] == ':' {
		r.pos++
		r.expect = expectValue
		r.passSpace()
	}
	return true
}

// plainString reads a string, a value of f. It reports false, and has done
// nothing, where [reader.passString] does.
func (r *reader) plainString(f *frame) bool {
	if !r.passString() {
		return false
	}
	r.element()
	at := len(r.out)
	r.out = append(r.out, r.text[r.tokAt:r.pos]...)
	if f.kind == '{' && !r.openValue {
		r.memberEnded()
	} else {
		r.stringEnded(at, r.text[r.tokAt+1:r.pos-1])
	}
	return true
}

// passString passes over the string at pos. It reports false, and has done nothing,
// if the string is not canonical as it stands or not here to its end.
func (r *reader) passString() bool {
	end, high := plainEnd(r.text, r.pos+1)
	if end < 0 || high && !utf8.ValidString(r.text[r.pos+1:end]) {
		return false
	}
	r.tokAt, r.sure, r.pos = r.pos, true, end+1
	return true
}

// each has the lowest bit of each byte of eight.
const each uint64 = 0x0101010101010101

// plainEnd returns where a string in double quotes ends whose body begins at i
// and is canonical as it stands, or -1; high says that bytes beyond ASCII stand
// in it.
func plainEnd(t string, i int) (end int, high bool) {
	if len(t)-i >= 8 { // all of them at once: most keys end so soon, and many values
		s := t[i : i+8]
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// A difference has the upper bit of a byte if that byte was less, up to the
		// first such byte at least.
		quote, escape := w^each*'"', w^each*'\\'
		stops := w | (w-each*' ')&^w | (quote-each)&^quote | (escape-each)&^escape
		i += bits.TrailingZeros64(stops&(each<<7)) / 8
		if i < len(t) && t[i] == '"' {
			return i, false
		}
	}
	for stops := doubleStops; ; i++ {
		i = stops.Index(t, i)
		switch {
		case i == len(t):
			return -1, high
		case t[i] == '"':
			return i, high
		case t[i] >= utf8.RuneSelf:
			high, stops = true, asciiStops
		case t[i] == '\\' && i+1 < len(t) && escapeFlag(t[i+1], quoteDouble) == hasEscape:
			i++
		default:
			return -1, high
		}
	}
}

// plainWord reads a number or a literal, a value of f. It reports false, and has
// done nothing, for any other word and where more may follow.
func (r *reader) plainWord(f *frame) bool {
	s := r.text[r.pos:]
	n := 0
	switch s[0] {
	case 't', 'n':
		n = len("true")
	case 'f':
		n = len("false")
	default:
		n = numberLen(s)
	}
	if n == 0 || n >= len(s) || s[n] != ',' && s[n] != '}' && s[n] != ']' && !isSpace(s[n]) {
		return false
	}
	if w := s[:n]; isLetter(w[0]) && w != "true" && w != "false" && w != "null" {
		return false
	}
	r.element()
	r.out = append(r.out, s[:n]...)
	r.pos += n
	if f.kind == '{' {
		r.memberEnded()
	} else {
		r.valueEnded()
	}
	return true
}

// memberEnded is valueEnded for a value in an object, which is the common case.
func (r *reader) memberEnded() {
	r.expect, r.newline, r.ended = expectAfter, false, r.pos
	r.keys[len(r.keys)-1].valEnd = len(r.out)
}
