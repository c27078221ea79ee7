package safejson

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendString appends s as encoding/json does without HTML escaping: invalid
// bytes as \ufffd, U+2028 and U+2029 escaped for the sake of JavaScript.
func appendString[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	start := 0 // of what is not yet copied
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf && i+8 <= len(s) {
			odd := marks(eight(s, i))
			if odd == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(odd) / 8
		}
		escape, size := escapeOf(s, i)
		if escape != "" {
			dst = append(append(dst, s[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// eight returns the bytes from s[i] on as one word.
func eight[S string | []byte](s S, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// marks sets the highest bit of each byte of a word that does not stand for
// itself in a JSON string. Taking 0x20 from a smaller byte sets that bit, and so
// does taking 1 from what was a quote or a backslash. A borrow can only mark a
// byte behind one that is marked already: the first mark is right.
func marks(w uint64) uint64 {
	const each = 0x0101010101010101
	return (w | (w - each*' ') | ((w ^ each*'"') - each) | ((w ^ each*'\\') - each)) & (each * 0x80)
}

// escapeOf returns the escape of the character at s[i], "" if there is none,
// and the bytes it has.
func escapeOf[S string | []byte](s S, i int) (escape string, size int) {
	if c := s[i]; c < utf8.RuneSelf {
		return escapes[c], 1
	}
	r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
	return unicodeEscape(r, size), size
}

// escapes are those of ASCII.
var escapes = func() (t [utf8.RuneSelf]string) {
	for c := range ' ' {
		t[c] = fmt.Sprintf(`\u%04x`, c)
	}
	for c, escape := range map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`} {
		t[c] = escape
	}
	return t
}()

// unicodeEscape is how a decoded rune is written, "" if as it is.
func unicodeEscape(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return `\ufffd`
	case r == '\u2028':
		return `\u2028`
	case r == '\u2029':
		return `\u2029`
	}
	return ""
}

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// maxSafe is the largest integer up to which float64, and so most readers of
// JSON, tell all integers apart.
const maxSafe = 1<<53 - 1

func appendInt(dst []byte, n int64) []byte {
	if n > maxSafe || n < -maxSafe {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, n, 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendUint(dst []byte, n uint64) []byte {
	if n > maxSafe {
		dst = append(dst, '"')
		dst = strconv.AppendUint(dst, n, 10)
		return append(dst, '"')
	}
	return strconv.AppendUint(dst, n, 10)
}

// appendFloat writes a float as ECMAScript does, and encoding/json with it:
// with an exponent only below 1e-6 and from 1e21 on.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(append(append(dst, '"'), floatWord(f)...), '"')
	}
	small, large := 1e-6, 1e21
	if bits == 32 { // the borders are those of the shorter type
		small, large = float64(float32(small)), float64(float32(large))
	}
	if abs := math.Abs(f); abs != 0 && (abs < small || abs >= large) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 is e-9
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

func floatWord(f float64) string {
	switch {
	case f > 0:
		return "Infinity"
	case f < 0:
		return "-Infinity"
	}
	return "NaN"
}

// number writes a json.Number: as it is if a reader that uses float64 gets the
// same number, else as a string, and so with all its digits.
func (e *encoder) number(dst []byte, s string) []byte {
	switch {
	case s == "":
		return append(dst, '0') // as encoding/json has it
	case isShort(s) || survivesFloat(s):
		return append(dst, s...)
	}
	return e.string(dst, s)
}

// isShort reports whether s is a number without an exponent and with so few
// digits that it survives: nearly every number, found out in one pass.
func isShort(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if len(s) > 1 && s[0] == '0' && s[1] != '.' {
		return false
	}
	digits, point := 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '.' && !point && i > 0 && i < len(s)-1:
			point = true
		default:
			return false
		}
	}
	return 0 < digits && (digits <= 15 || point && digits <= 17)
}

// survivesFloat reports whether s is a JSON number of no more precision and
// size than float64 has: 17 digits, or an integer up to maxSafe.
func survivesFloat(s string) bool {
	if !isNumber(s) {
		return false
	}
	at := strings.IndexAny(s, ".eE")
	if at < 0 {
		if len(s) <= 15 {
			return true
		}
		n, err := strconv.ParseInt(s, 10, 64)
		return err == nil && -maxSafe <= n && n <= maxSafe
	}
	mantissa, exponent := s, ""
	if e := strings.IndexAny(s[at:], "eE"); e >= 0 {
		mantissa, exponent = s[:at+e], s[at+e+1:]
	}
	digits := significant(mantissa)
	if digits > 17 || digits == 0 {
		return digits == 0
	}
	if len(strings.TrimLeft(exponent, "+-")) <= 2 && len(mantissa) < 200 {
		return true
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && f != 0
}

// significant counts the digits from the first to the last that is not zero.
func significant(mantissa string) int {
	count, zeros := 0, 0
	for i := range len(mantissa) {
		switch c := mantissa[i]; {
		case c == '0' && count > 0:
			zeros++
		case '1' <= c && c <= '9':
			count += zeros + 1
			zeros = 0
		}
	}
	return count
}

// isNumber reports whether s is a number by the grammar of JSON.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := leadingDigits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := leadingDigits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		return s != "" && leadingDigits(s) == len(s)
	}
	return s == ""
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// bytes writes a []byte: text if it is UTF-8, which files and command output
// mostly are.
func (e *encoder) bytes(dst, b []byte) []byte {
	if len(b) > e.limit-len(dst) {
		e.full = true
		return dst
	}
	if utf8.Valid(b) {
		return appendString(dst, b)
	}
	dst = append(dst, `"base64:`...)
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// words writes a bracketed word: what stands for a value that has no JSON.
func words(dst []byte, format string, args ...any) []byte {
	return appendString(dst, "["+fmt.Sprintf(format, args...)+"]")
}

// names makes the keys of an object differ. It holds the last number that each got.
type names map[string]int

func newNames() names { return names{} }

// unique returns the name, or one with a number behind it if it would read the
// same as one before: encoding replaces bytes that are no UTF-8.
func (ns names) unique(name string) string {
	read := string([]rune(name))
	if ns[read]++; ns[read] == 1 {
		return name
	}
	for ; ; ns[read]++ {
		if numbered := fmt.Sprintf("%s (%d)", read, ns[read]); ns[numbered] == 0 {
			ns[numbered] = 1
			return numbered
		}
	}
}
