package permission

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiEscapes are the escapes of one letter in $'…'.
var ansiEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'e': 0x1b, 'E': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// ansiText is what bash makes of the text in $'…'. It is not ok where versions
// differ: \cx, \x{…}, and the character zero, which ends the text.
func ansiText(t string) (text string, ok bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(t, `\`)
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		n := 1
		switch c, plain := ansiEscapes[firstByte(after)]; {
		case plain:
			b.WriteByte(c)
		case after != "" && strings.IndexByte("01234567xuU", after[0]) >= 0:
			if n = ansiNumber(&b, after); n == 0 {
				return "", false
			}
		case strings.HasPrefix(after, "c"):
			return "", false
		default: // the backslash stays
			b.WriteByte('\\')
			n = 0
		}
		t = after[n:]
	}
}

// ansiNumber writes the character that a number stands for, and says how many
// bytes of t it takes; 0 if that is not clear.
func ansiNumber(b *strings.Builder, t string) int {
	skip, most, base := 1, map[byte]int{'x': 2, 'u': 4, 'U': 8}[t[0]], 16
	if most == 0 {
		skip, most, base = 0, 3, 8
	}
	digits := t[skip:]
	n := 0
	for n < min(most, len(digits)) && isDigit(digits[n], base) {
		n++
	}
	v, err := strconv.ParseUint(digits[:n], base, 32)
	switch {
	case err != nil || v == 0 || v > utf8.MaxRune:
		return 0
	case t[0] == 'u' || t[0] == 'U':
		b.WriteRune(rune(v))
	default:
		b.WriteByte(byte(v))
	}
	return skip + n
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(rune(c)), base, 8)
	return err == nil
}

func firstByte(t string) byte {
	if t == "" {
		return 0
	}
	return t[0]
}
