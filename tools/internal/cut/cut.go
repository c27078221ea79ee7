// Package cut cuts text between characters.
package cut

import (
	"strings"
	"unicode/utf8"
)

// End returns the largest index of s up to i that parts no character.
func End[T string | []byte](s T, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for n := 0; i > 0 && n < utf8.UTFMax && !utf8.RuneStart(s[i]); n++ {
		i--
	}
	return max(i, 0)
}

// Start returns the smallest index of s from i that parts no character.
func Start[T string | []byte](s T, i int) int {
	i = max(i, 0)
	for n := 0; i < len(s) && n < utf8.UTFMax && !utf8.RuneStart(s[i]); n++ {
		i++
	}
	return min(i, len(s))
}

// Whole returns the length of b without a character that its end cuts off.
func Whole(b []byte) int {
	for i := len(b) - 1; i >= 0 && len(b)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				break
			}
			return i
		}
	}
	return len(b)
}

// Valid returns b as text. Each run of bytes that are not UTF-8 becomes U+FFFD.
func Valid[T string | []byte](b T) string {
	return strings.ToValidUTF8(string(b), string(utf8.RuneError))
}
