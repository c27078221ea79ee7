package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/localagent/localagent/parse/internal/byteset"
)

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool { return nameBytes.Has(c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isWordByte reports whether c may stand in a bare word: a literal, a number,
// an unquoted key, the name of a call.
func isWordByte(c byte) bool { return wordBytes.Has(c) }

var (
	nameBytes = byteset.New(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(".:/-", c) >= 0 })
	wordBytes = byteset.New(func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(".+-$", c) >= 0 })
)

// wordRune reports whether a rune beyond ASCII may stand in an unquoted key.
func wordRune(c rune) bool {
	switch c {
	case '“', '”', '„', '‘', '’', '：', '，', utf8.RuneError:
		return false
	}
	return c >= utf8.RuneSelf && !unicode.IsSpace(c) && !isInvisible(c)
}

// isInvisible reports whether r is a byte-order mark or has no width.
func isInvisible(r rune) bool {
	switch r {
	case '\ufeff', '\u200b', '\u200c', '\u200d', '\u2060':
		return true
	}
	return false
}

// hasWord reports whether s holds a letter or a digit.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// runeLen is the length of the rune that s begins with, 1 for an invalid byte.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// cutRune returns n, or less if n stands inside a rune of s.
func cutRune(s string, n int) int {
	if n > 0 && n <= len(s) && s[n-1] < utf8.RuneSelf {
		return n
	}
	for i := 1; i <= utf8.UTFMax && i <= n; i++ {
		if utf8.RuneStart(s[n-i]) {
			if !utf8.FullRuneInString(s[n-i : min(n, len(s))]) {
				return n - i
			}
			break
		}
	}
	return n
}

// A run is a character that stands n times in a row.
type run struct{ at, n int }

// maxRun is the longest run of one character that means something.
const maxRun = 64

// runLen counts the bytes equal to text[pos] from there on, at most maxRun.
func runLen(text string, pos int) int {
	run := text[pos:min(len(text), pos+maxRun)]
	n := 1
	for n < len(run) && run[n] == run[0] {
		n++
	}
	return n
}

// wordLen is the length of the name that s begins with, Markdown's escapes
// included.
func wordLen(s string) int {
	if s == "" || !isLetter(s[0]) {
		return 0
	}
	i := 0
	for i < len(s) && i <= 4*maxName {
		switch {
		case isNameByte(s[i]):
			i++
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '_':
			i += 2
		default:
			return i
		}
	}
	return i
}

// mayGoOn reports whether the word of n bytes that s begins with may go on in
// the next chunk.
func mayGoOn(s string, n int) bool {
	return n == len(s) || s[n] == '\\' && n+1 == len(s)
}

// view reads bytes as a string for as long as they are not written over.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
