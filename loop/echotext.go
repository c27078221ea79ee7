package loop

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/localagent/localagent/parse"
)

// Text that a model was given shows calls in ways in which a reply never would:
// numbered line by line, quoted in a string, in the middle of other data. This
// file finds what a model can make of it.

// formsOf are the text as it is, and as a reader takes it who looks through
// fences, line numbers, escapes and entities.
func formsOf(text string) []string {
	forms := []string{text}
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	add(unfence.Replace(parse.Defuse(text)))
	add(linePrefix().ReplaceAllString(text, ""))
	add(entities.Replace(text))
	once := unescaped(text)
	add(once)
	add(unescaped(once)) // a string in a string
	return forms
}

var (
	unfence  = strings.NewReplacer("`", " ", "~~~", " ")
	entities = strings.NewReplacer("&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&apos;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// linePrefix is what tools and people put before a line: its number, perhaps
// with the name of the file, or the mark of a quotation or a comment.
var linePrefix = lazily(`(?m)^[ \t]*(?:(?:[^\s:"{}]+[:-])?\d+(?:[ \t]*[:|│→-]|\t)|>+|#+|//+|\*+|--+|;+|[|│])[ \t]?`)

// unescaped is the text with the escapes of JSON strings undone, wherever they
// stand.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		r, n := unescape(text[at:])
		b.WriteRune(r)
		text = text[at+n:]
	}
}

// unescape reads one escape of at least two bytes. What is none is a backslash.
func unescape(s string) (r rune, n int) {
	switch s[1] {
	case '"', '\\', '/', '\'':
		return rune(s[1]), 2
	case 'n', 'r':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := hexRune(s)
		if low, also := hexRune(s[min(len(s), 6):]); ok && also && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		if ok {
			return r, 6
		}
	}
	return '\\', 1
}

// hexRune reads an escape of four hex digits.
func hexRune(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

const (
	// maxPart is the longest call, in bytes, that is looked for inside other
	// text. Models write shorter ones.
	maxPart = 64 << 10

	// partWork bounds the work on a text, as a multiple of its length. Only a
	// text that is nested for the sake of it needs more.
	partWork = 64
)

// partsOf yields what may be a call wherever it stands in a text: every object,
// and every NAME(…). It yields false, and ends, when that is too much work.
func partsOf(text string, names []string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		work := partWork*len(text) + maxPart
		for i := 0; i < len(text); i++ {
			start, ok := partAt(text, i, names)
			if !ok {
				continue
			}
			end, seen := closing(text[start:])
			if work -= seen; work < 0 {
				yield("", false)
				return
			}
			if end > 0 && !yield(text[start:start+end], true) {
				return
			}
		}
	}
}

// partAt is where the object with a key begins, or one of the names with its
// arguments, whose first bracket is at i.
func partAt(text string, i int, names []string) (start int, ok bool) {
	switch text[i] {
	case '{':
		rest := strings.TrimLeft(text[i+1:min(len(text), i+64)], " \t\r\n")
		return i, rest != "" && rest[0] != '{' && rest[0] != '}'
	case '(':
		for _, name := range names {
			if start := i - len(name); start >= 0 && strings.EqualFold(text[start:i], name) {
				return start, true
			}
		}
	}
	return 0, false
}

// closing is where the brackets close that text opens first, or 0; seen is how
// far it was read.
func closing(text string) (end, seen int) {
	depth := 0
	before := byte(0) // the last byte that is no space
	for i := 0; i < min(len(text), maxPart); i++ {
		c := text[i]
		switch {
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			if depth--; depth <= 0 {
				return i + 1, i + 1
			}
		case c == '"' || c == '\'' && strings.IndexByte("{[(,:=", before) >= 0:
			i = endOfQuoted(text, i)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		}
		before = c
	}
	return 0, min(len(text), maxPart)
}

// endOfQuoted is the index of the quote that closes the one at i.
func endOfQuoted(text string, i int) int {
	quote := text[i]
	for i++; i < min(len(text), maxPart); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return i
}

// folded is the letters and digits of a text, in lower case.
func folded(text string) string {
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			b = append(b, c)
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		}
	}
	return string(b)
}
