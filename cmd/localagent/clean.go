package main

import (
	"strings"
	"unicode/utf8"
)

// clean makes text that a model or a tool wrote harmless for a terminal: every
// control character but line feed and tab is shown as a picture of itself, so
// nothing can move the cursor, change a colour or a title, or hide text.
// CR LF becomes LF. Characters that reorder text to the eye (bidirectional
// overrides) and bytes that are not UTF-8 become U+FFFD.
func clean(s string) string {
	i := firstUnclean(s)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString(s[:i])
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(cleanRune(r))
		}
		i += n
	}
	return b.String()
}

// cleanRune is what stands for r on a terminal.
func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < ' ':
		return '\u2400' + r // the block of control pictures
	case r == 0x7f:
		return '\u2421'
	case 0x80 <= r && r < 0xa0: // C1: some terminals obey them
		return utf8.RuneError
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return utf8.RuneError
	}
	return r
}

// firstUnclean is the offset of the first byte that clean would change, -1 if
// there is none.
func firstUnclean(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || cleanRune(r) != r {
			return i
		}
		i += n
	}
	return -1
}

// oneLine is s cleaned, on one line, and cut to at most max columns.
func oneLine(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\n':
			return '⏎'
		case '\t':
			return ' '
		}
		return r
	}, clean(s))
	return cutWidth(s, max)
}

// escapeJSON rewrites the control characters that JSON allows in strings and
// some terminals obey (DEL and C1) as escapes. line is valid JSON, where they
// can stand only in strings.
func escapeJSON(line []byte) []byte {
	const hex = "0123456789abcdef"
	var out []byte
	done := 0
	for i := 0; i < len(line); i++ {
		var r byte // the control character, and
		var n int  // how many bytes it takes
		switch {
		case line[i] == 0x7f:
			r, n = 0x7f, 1
		case line[i] == 0xc2 && i+1 < len(line) && line[i+1] < 0xa0:
			r, n = line[i+1], 2
		default:
			continue
		}
		out = append(out, line[done:i]...)
		out = append(out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		i += n - 1
		done = i + 1
	}
	if done == 0 {
		return line
	}
	return append(out, line[done:]...)
}
