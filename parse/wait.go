package parse

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// A wait is for what must come before the text is read on: most pieces of a
// construct say nothing about how it goes on.
type wait struct {
	ends  *byteset.Set // one of these bytes, or nil: any may matter
	until int          // or the text reaching this offset
}

// The bytes that may end a candidate are closers, wide ones too, and what begins
// a closing tag or fence; in a string nothing but its quote may. A tag goes on up to
// its bracket, or to what shows that it is none.
var (
	candidateEnds = byteset.New(func(c byte) bool { return strings.IndexByte("}])<`", c) >= 0 || c >= utf8.RuneSelf })
	stringEnds    = byteset.New(func(c byte) bool { return c == '"' })
	tagEnds       = byteset.New(func(c byte) bool { return strings.IndexByte("><\n{}", c) >= 0 })
	dataEnds      = byteset.New(func(c byte) bool { return c == '}' })
)

// await waits for one of the bytes, or for the text to reach an offset. It says
// that more text is needed.
func (s *Scanner) await(ends *byteset.Set, until int) bool {
	s.wait = wait{ends, until}
	return false
}

// awaitTag waits for the end of the tag at p.
func (s *Scanner) awaitTag(p int) bool {
	if rest := s.text[p:]; len(rest) < 2 || rest[0] != '<' || rest[1] == '<' {
		return false
	}
	return s.await(tagEnds, p+maxTag)
}

// awaitClosers waits for what may end the candidate at hand, or the string that it
// is in.
func (s *Scanner) awaitClosers() bool {
	r := &s.read
	switch {
	case r.pos < len(r.text) || !r.sure || r.tail != tailNone || r.single:
		return false
	case r.token == tokenString && r.quote == quoteDouble:
		return s.await(stringEnds, math.MaxInt)
	}
	return s.await(candidateEnds, math.MaxInt)
}

// comes reports whether what is waited for stands in the last piece of the text, or
// need not be waited for any more.
func (s *Scanner) comes(chunk string) bool {
	ends := s.wait.ends
	if len(s.text) < s.wait.until && (!ends.In(chunk) || ends == stringEnds && s.allEscaped(chunk)) {
		return false
	}
	s.wait.ends = nil
	return true
}

// allEscaped reports whether each quote in the last piece of the text is escaped.
func (s *Scanner) allEscaped(chunk string) bool {
	for i := range len(chunk) {
		if chunk[i] == '"' && !isEscaped(s.text[:len(s.text)-len(chunk)+i]) {
			return false
		}
	}
	return true
}

// isEscaped reports whether what follows before in a string is surely escaped: a
// lone backslash ends it.
func isEscaped(before string) bool {
	n := len(before)
	return n > 1 && before[n-1] == '\\' && before[n-2] != '\\'
}
