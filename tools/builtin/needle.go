package builtin

import (
	"bytes"
	"regexp/syntax"
	"strings"
)

// A needle is text that every match of an expression holds. Looking for it
// first is many times faster than the expression.
type needle struct {
	text []byte // lower case, if fold
	fold bool   // ASCII letters in either case
}

// needleOf returns the longest literal that stands in an expression by itself.
func needleOf(pattern string) needle {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return needle{}
	}
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	var n needle
	for _, p := range parts {
		if p.Op != syntax.OpLiteral || len(string(p.Rune)) <= len(n.text) {
			continue
		}
		text, fold := string(p.Rune), p.Flags&syntax.FoldCase != 0
		switch {
		case !fold:
			n = needle{[]byte(text), false}
		case isASCII(text):
			n = needle{[]byte(strings.ToLower(text)), true}
		}
	}
	return n
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// mayBeIn reports whether a line can match. One that is not ASCII always can
// when case does not matter: K and S have relatives there.
func (n needle) mayBeIn(line []byte) bool {
	if !n.fold || len(n.text) == 0 {
		return bytes.Contains(line, n.text)
	}
	first := n.text[0]
	for i, c := range line {
		if c >= 0x80 {
			return true
		}
		if lower(c) == first && i+len(n.text) <= len(line) && bytes.EqualFold(line[i:i+len(n.text)], n.text) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
