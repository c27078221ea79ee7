package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An emphasis is a run of stars or underscores that has been read, and whose
// partner stands on the same line.
type emphasis struct {
	mark byte
	run  int // 1: italic, 2: bold, 3: both
	end  int // where in the line the partner stands
}

// emphasis takes a run of stars or underscores: as a mark if it has a partner,
// else as it stands.
func (m *markdown) emphasis(ended bool) int {
	n := runOf(m.line)
	if n == len(m.line) && m.hold(ended) {
		return 0 // the run may grow
	}
	if i := slices.IndexFunc(m.open, func(e emphasis) bool { return e.end == m.at }); i >= 0 {
		m.open = slices.Delete(m.open, i, i+1)
		return n
	}
	mark := m.line[:n]
	isOpen := slices.ContainsFunc(m.open, func(e emphasis) bool { return e.mark == mark[0] && e.run == n })
	if n <= 3 && !isOpen && opens(mark, m.prev, runeAt(m.line[n:])) {
		switch end, found := partner(mark, m.line[n:], ended); {
		case found == there:
			m.open = append(m.open, emphasis{mark[0], n, m.at + n + end})
			return n
		case found == yet && m.hold(ended):
			return 0
		}
	}
	return m.add(mark, n)
}

// closesWithin says whether an emphasis ends in the next n bytes.
func (m *markdown) closesWithin(n int) bool {
	return slices.ContainsFunc(m.open, func(e emphasis) bool { return e.end < m.at+n })
}

// partner finds the run that closes a mark, in the text behind it: of the same
// length, and neither escaped nor in a code span.
func partner(mark, text string, ended bool) (at int, found found) {
	for i := 0; i < len(text); {
		n := 1
		switch text[i] {
		case '\\':
			n = 2
		case '`':
			_, span, state := codeSpan(text[i:], ended)
			if state == yet {
				return 0, yet
			}
			n = max(span, runOf(text[i:]))
		case mark[0]:
			n = runOf(text[i:])
			after := text[i+n:]
			if !ended && (after == "" || after == ".") {
				return 0, yet
			}
			if n == len(mark) && closes(mark, text[:i], after) {
				return i, there
			}
		}
		i += n
	}
	if !ended {
		return 0, yet
	}
	return 0, nowhere
}

// opens says whether a run between these characters can begin an emphasis. That
// is CommonMark's left-flanking rule, narrowed: neither in nor directly behind a
// word, a path or an operator, and not before what only a pattern begins with.
func opens(mark string, prev, next rune) bool {
	const before, after = "([{\"'-:;,!?*_~|", "([{\"'`<#@&$~+-*_\\%!?"
	switch {
	case next == 0 || unicode.IsSpace(next) || next == rune(mark[0]):
		return false
	case isLatin(prev) || mark[0] == '_' && isWord(prev):
		return false
	case prev < utf8.RuneSelf && prev > ' ' && !strings.ContainsRune(before, prev):
		return false
	case prev == next && (prev == '"' || prev == '\''): // a star in quotes
		return false
	case next == '.' || next == '/':
		return len(mark) > 1
	}
	return isWord(next) || next >= utf8.RuneSelf || strings.ContainsRune(after, next)
}

// closes says whether a run can end the emphasis of the text inside, which
// stands before it: CommonMark's right-flanking rule, narrowed in the same way.
func closes(mark, inside, after string) bool {
	const behind, behindBold = ".,;:!?)]}\"'-*_~|<>`%", "/(["
	prev, _ := utf8.DecodeLastRuneInString(inside)
	next := runeAt(after)
	switch {
	case unicode.IsSpace(prev) || strings.ContainsRune("([{<", prev):
		return false
	case prev == '/' && (len(mark) == 1 || inside[0] == '/'): // a pattern of paths
		return false
	case mark[0] == '_' && (isWord(next) || isName(mark, inside)):
		return false
	case isLatin(next): // **S**ingle
		return len(mark) == 2 && !strings.ContainsFunc(inside, func(r rune) bool { return !isWord(r) })
	case next == '.' && len(after) > 1 && isWord(runeAt(after[1:])): // __name__.py
		return mark == "**"
	case next == 0 || unicode.IsSpace(next) || next >= utf8.RuneSelf:
		return true
	}
	return strings.ContainsRune(behind, next) || len(mark) > 1 && mark[0] == '*' && strings.ContainsRune(behindBold, next)
}

// isName says whether a text in underscores is rather a name of a program:
// __init__, _a_b_.
func isName(mark, inside string) bool {
	return !strings.ContainsAny(inside, " \t") && (len(mark) > 1 || strings.Contains(inside, "_"))
}

// isLatin says whether a character belongs to a word in a script that puts spaces
// between words.
func isLatin(r rune) bool { return isWord(r) && r != '_' && textWidth(string(r)) == 1 }

// runeAt is the first character of a text, 0 if there is none.
func runeAt(s string) rune {
	if s == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
