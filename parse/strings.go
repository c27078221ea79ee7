package parse

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// writeString writes the body of a string, which begins at offset at, as a
// canonical JSON string. r.flags say what stands in it.
func (r *reader) writeString(s string, at int) {
	valid := r.flags&hasHigh == 0 || utf8.ValidString(s)
	if r.flags&^(hasEscape|hasHigh) == 0 && valid && !r.quote.raw() {
		r.out = append(r.out, '"')
		r.out = append(r.out, s...)
		r.out = append(r.out, '"')
		return
	}
	if !valid {
		r.repair(RepairUTF8, at+invalidAt(s))
	}
	if r.flags&hasControl != 0 && r.quote.escapes() {
		r.repair(RepairRawControl, at+controlAt(s))
	}
	if r.quote.raw() {
		r.out = appendQuoted(r.out, s)
		return
	}
	r.out = append(r.out, '"')
	if r.flags&hasInvalid != 0 && isWindowsPath(s) {
		r.repair(RepairWindowsPath, at)
		r.out = appendEscaped(r.out, s)
	} else {
		r.unescape(s, at)
	}
	r.out = append(r.out, '"')
}

// isWindowsPath reports whether s, which holds an escape that JSON has not, is
// a path whose backslashes are meant as they stand.
func isWindowsPath(s string) bool {
	if strings.HasPrefix(s, `\\`) {
		return !strings.Contains(s[2:], `\\`)
	}
	return len(s) > 2 && isLetter(s[0]) && s[0] != '_' && s[1] == ':' && s[2] == '\\' && !strings.Contains(s, `\\`)
}

// unescape writes the body of a string with every escape in canonical form.
func (r *reader) unescape(s string, at int) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			n := runeLen(s[i:])
			r.out = appendRune(r.out, s[i:i+n])
			i += n - 1
			continue
		}
		if c != '\\' {
			r.out = appendByte(r.out, c)
			continue
		}
		i++
		switch c = s[i]; c {
		case '"', '\\', 'b', 'f', 'n', 'r', 't':
			r.out = append(r.out, '\\', c)
		case '/':
			r.out = append(r.out, '/')
		case 'u':
			i += r.unicode(s[i:], at+i-1) - 1
		case '\'', '_':
			if c == '_' || r.quote != quoteSingle {
				r.repair(RepairEscape, at+i-1)
			}
			r.out = append(r.out, c)
		default:
			if c >= utf8.RuneSelf {
				r.fail(ReasonMalformed, at+i-1, "an escape of JSON")
				return
			}
			r.repair(RepairEscape, at+i-1)
			r.out = append(r.out, '\\', '\\')
			r.out = appendByte(r.out, c)
		}
	}
}

// unicode writes the character of an escape; s begins with its u. It returns
// how many bytes of s it read.
func (r *reader) unicode(s string, at int) int {
	c := hex4(s[1:])
	if c < 0 {
		r.repair(RepairEscape, at)
		r.out = append(r.out, `\\u`...)
		return 1
	}
	n := 5
	if utf16.IsSurrogate(c) {
		if len(s) >= 11 && s[5] == '\\' && s[6] == 'u' {
			if both := utf16.DecodeRune(c, hex4(s[7:])); both != utf8.RuneError {
				r.out = utf8.AppendRune(r.out, both)
				return 11
			}
		}
		r.repair(RepairSurrogate, at)
		c = utf8.RuneError
	}
	if c < utf8.RuneSelf {
		r.out = appendByte(r.out, byte(c))
	} else {
		r.out = utf8.AppendRune(r.out, c)
	}
	return n
}

// hex4 reads four hexadecimal digits, -1 if s does not begin with them.
func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	var v rune
	for i := range 4 {
		c := s[i]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		v = v<<4 | rune(c)
	}
	return v
}

const hexDigits = "0123456789abcdef"

// appendByte appends a byte of a string value as it stands in a JSON string.
func appendByte(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// appendRune appends one rune as it stands in a JSON string. An invalid byte
// becomes U+FFFD.
func appendRune(dst []byte, s string) []byte {
	if len(s) == 1 {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, s...)
}

// appendEscaped appends a string value as the body of a JSON string. Invalid
// UTF-8 becomes U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	stops := doubleStops
	if utf8.ValidString(s) {
		stops = asciiStops
	}
	for {
		i := stops.Index(s, 0)
		dst = append(dst, s[:i]...)
		if s = s[i:]; s == "" {
			return dst
		}
		n := runeLen(s)
		if s[0] < utf8.RuneSelf {
			dst = appendByte(dst, s[0])
		} else {
			dst = appendRune(dst, s[:n])
		}
		s = s[n:]
	}
}

// appendQuoted appends a string value as a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(slices.Grow(dst, len(s)+2), '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// unquote returns the value of a canonical JSON string.
func unquote(q string) string {
	s := q[1 : len(q)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	value, _ := unescaped(s)
	return value
}

func invalidAt(s string) int {
	for i, c := range s {
		if c == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return 0
}

func controlAt(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 {
			return i
		}
	}
	return 0
}
