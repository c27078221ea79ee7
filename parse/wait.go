package parse

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// A wait is for what must come before reading goes on: most chunks within a
// construct do not decide anything about it, and need not be looked at further.
type wait struct {
	ends  *byteset.Set // one of these bytes, or nil: any may matter
	until int          // or the text reaching this offset
}

// What may end a candidate: a closing bracket, also a full-width one, or what begins
// a closing tag or fence; within a string, its quote alone. A tag goes on up to its
// bracket or to what shows that it is none, plain data up to its brace.
var (
	candidateEnds = byteset.New(func(c byte) bool { return strings.IndexByte("}])<`", c) >= 0 || c >= utf8.RuneSelf })
	stringEnds    = byteset.New(func(c byte) bool { return c == '"' })
	tagEnds       = byteset.New(func(c byte) bool { return strings.IndexByte("><\n{}", c) >= 0 })
	dataEnds      = byteset.New(func(c byte) bool { return c == '}' })
	lineEnds      = byteset.New(func(c byte) bool { return c == '\n' })
)

// await waits for one of the bytes, or for the text to reach the offset until. It
// returns false, as every step does that needs more text.
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

// waitsOn reports whether what is waited for does not stand in chunk, the last of the
// text, and still has to be waited for.
func (s *Scanner) waitsOn(chunk string) bool {
	return len(s.text) < s.wait.until && !s.wait.ends.In(chunk)
}

// allEscaped reports whether the end of a string is waited for, and each quote in chunk,
// the last of the text, is escaped.
func (s *Scanner) allEscaped(chunk string) bool {
	if s.wait.ends != stringEnds {
		return false
	}
	for i := range len(chunk) {
		if chunk[i] == '"' && !isEscaped(s.text[:len(s.text)-len(chunk)+i]) {
			return false
		}
	}
	return true
}

// isEscaped reports whether the byte that follows before, in a string, is surely
// escaped: before ends in a backslash that is itself not escaped.
func isEscaped(before string) bool {
	n := len(before)
	return n > 1 && before[n-1] == '\\' && before[n-2] != '\\'
}
