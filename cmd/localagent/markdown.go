package main

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A markdown writes Markdown to a terminal while it comes: emphasis, code,
// headings, lists, quotes, tables and links are shown, text is wrapped between
// words. What is no valid Markdown is shown as it stands, and nothing is lost but
// the marks that a style replaces: where it is in doubt whether a character is a
// mark, as in 2**10, _private_name and src/*.go, it is none.
//
// It holds back what it cannot decide yet: the word at the end, an emphasis or
// link that may be closed on its line, a line of code, a table.
type markdown struct {
	s     *screen
	width int
	kinds *lineKinds

	line    string // of the current line, what is not written yet
	started bool   // what kind of line it is has been decided
	heading bool
	oneWord bool   // nothing of it is wrapped
	indent  string // before the lines that a wrapped line becomes
	blank   bool   // there is nothing on it

	fence string // what ends the code block
	table []string
	above above // what stands above the line

	col    int    // of the terminal
	spaces int    // that stand before the word
	word   []span // pieces of the word that is being put together
	open   []emphasis
	prev   rune // the last character read, on this line
	at     int  // how much of the line has been read
}

// above is what the lines above say of an indented one.
type above struct {
	blank bool // the last is empty
	code  bool // the last that is not empty is indented code
	list  bool // they are of a list, whose text may be indented as far as code
}

const (
	styleItalic style = "\x1b[3m"
	styleLink   style = "\x1b[4m"
	styleCode   style = styleName
)

// escapes are the characters that a backslash makes plain. Before others it
// rather belongs to a path, a pattern or a formula.
const escapes = "\\`*_#~<>"

// holdLimit is how much of a line is held back for a mark to be closed.
const holdLimit = 600

func newMarkdown(s *screen) *markdown {
	return &markdown{s: s, width: max(20, s.width()-1), kinds: kindsOfLines(), above: above{blank: true}}
}

// write takes the next piece of the text.
func (m *markdown) write(text string) {
	for {
		part, rest, ended := strings.Cut(text, "\n")
		m.line += part
		m.advance(ended)
		if !ended {
			return
		}
		m.endLine()
		text = rest
	}
}

// close writes what was held back and ends the line.
func (m *markdown) close() {
	if m.line != "" || m.started {
		m.advance(true)
		m.endLine()
	}
	m.flushTable()
}

// The kinds of lines. They are compiled when the first line is shown.
type lineKinds struct {
	heading, item, quote, fence, rule *regexp.Regexp

	// undecided is the beginning of a line that can still become anything.
	undecided *regexp.Regexp

	link, mayBeLink *regexp.Regexp
	delimiterRow    *regexp.Regexp // of a table
}

var kindsOfLines = sync.OnceValue(func() *lineKinds {
	return &lineKinds{
		heading:      regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+`),
		item:         regexp.MustCompile(`^[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+`),
		quote:        regexp.MustCompile(`^ {0,3}>[ \t]?`),
		fence:        regexp.MustCompile("^ {0,3}(```+|~~~+)[^`]*$"),
		rule:         regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`),
		undecided:    regexp.MustCompile(`^[ \t]*(?:#{0,6}|[-*_+][-*_ \t]*|\d{0,4}[.)]?|>|[` + "`" + `~]{0,3})[ \t]*$`),
		link:         regexp.MustCompile(`^\[([^\[\]\n]+)\]\(([^()\s]*)\)`),
		mayBeLink:    regexp.MustCompile(`^\[[^\[\]\n]*(?:\](?:\([^()\s]*)?)?$`),
		delimiterRow: regexp.MustCompile(`^\s*\|?[\s:|-]+\|?\s*$`),
	}
})

// advance writes as much of the line as is certain. ended says that all of the
// line is there.
func (m *markdown) advance(ended bool) {
	if m.fence == "" && !m.started {
		m.begin(ended)
	}
	if m.started {
		m.inline(ended)
	}
}

// begin decides what kind of line this is and writes what stands before its
// text. Lines of code, tables and rules are left to endLine.
func (m *markdown) begin(ended bool) {
	trimmed := strings.TrimLeft(m.line, " \t")
	m.blank = strings.TrimSpace(trimmed) == ""
	switch {
	case !ended && (m.kinds.undecided.MatchString(m.line) || m.kinds.fence.MatchString(m.line)):
		return
	case m.kinds.fence.MatchString(m.line), m.kinds.rule.MatchString(m.line), strings.HasPrefix(trimmed, "|"), m.isCode():
		return
	}
	m.flushTable()
	m.started = true
	switch {
	case m.kinds.heading.MatchString(m.line):
		m.heading = true
		m.line = m.line[len(m.kinds.heading.FindString(m.line)):]
	case m.kinds.quote.MatchString(m.line):
		m.line = m.line[len(m.kinds.quote.FindString(m.line)):]
		m.lead(stylePlain, "", styleDim, "│ ")
	case m.isItem():
		m.above.list = true
		mark := m.kinds.item.FindString(m.line)
		m.line = m.line[len(mark):]
		before := mark[:len(mark)-len(strings.TrimLeft(mark, " \t"))]
		bullet := strings.TrimSpace(mark)
		if strings.ContainsAny(bullet, "-*+") {
			bullet = "•"
		}
		m.lead(stylePlain, before, styleDim, bullet+" ")
	default:
		before := m.line[:len(m.line)-len(trimmed)]
		m.above.list = m.above.list && (m.blank || before != "")
		m.lead(stylePlain, before, stylePlain, "")
		m.line = trimmed
	}
}

// isItem says whether the line is one of a list. The times of cron begin with
// several stars.
func (m *markdown) isItem() bool {
	mark := m.kinds.item.FindString(m.line)
	return mark != "" && !strings.HasPrefix(m.line[len(mark):], "* ")
}

// isCode says whether the line is indented code: by four, and not going on with
// a paragraph or a list above it.
func (m *markdown) isCode() bool {
	before := m.line[:len(m.line)-len(strings.TrimLeft(m.line, " \t"))]
	return !m.blank && textWidth(spread(before)) >= 4 && (m.above.blank || m.above.code) && !m.above.list && !m.isItem()
}

// spread writes tabs as spaces.
func spread(blanks string) string { return strings.ReplaceAll(blanks, "\t", "    ") }

// lead writes what stands before the text of a line; wrapped lines are
// indented as far.
func (m *markdown) lead(look style, before string, markLook style, mark string) {
	before = spread(before)
	m.s.put(span{look, before}, span{markLook, mark})
	m.col = textWidth(before + mark)
	m.indent = strings.Repeat(" ", m.col)
}

// endLine ends the line, all of which is there.
func (m *markdown) endLine() {
	line := m.line
	switch {
	case m.started:
		m.flushWord()
		m.s.raw("\n")
	case m.fence != "":
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), m.fence); ok && strings.Trim(rest, m.fence[:1]) == "" {
			m.fence = ""
			m.s.put(span{styleDim, line}, "\n")
			break
		}
		m.s.put(span{styleCode, line}, "\n")
	case m.kinds.fence.MatchString(line):
		m.flushTable()
		m.fence = m.kinds.fence.FindStringSubmatch(line)[1]
		m.s.put(span{styleDim, line}, "\n")
	case m.isCode():
		m.flushTable()
		m.s.put(span{styleCode, line}, "\n")
		m.above.code = true
	case m.kinds.rule.MatchString(line):
		m.flushTable()
		m.s.put(span{styleDim, strings.Repeat("─", min(m.width, 40))}, "\n")
	default:
		m.table = append(m.table, line)
	}
	m.above.code = m.above.code && !m.started || m.above.code && m.blank
	m.above.blank = m.blank
	*m = markdown{s: m.s, width: m.width, kinds: m.kinds, fence: m.fence, table: m.table, above: m.above}
}

// inline writes the text of a line as far as it is certain.
func (m *markdown) inline(ended bool) {
	for m.line != "" {
		n := m.piece(ended)
		if n == 0 {
			return
		}
		r, _ := utf8.DecodeLastRuneInString(m.line[:n])
		m.prev = r
		m.line = m.line[n:]
		m.at += n
	}
}

// piece reads one piece from the front of the line and returns how many bytes
// it took, 0 when more has to come first.
func (m *markdown) piece(ended bool) int {
	s := m.line
	switch c := s[0]; c {
	case ' ', '\t', '\r':
		if m.oneWord {
			break
		}
		m.flushWord()
		m.spaces += textWidth(spread(s[:1]))
		return 1
	case '\\':
		if len(s) == 1 && !ended {
			return 0
		}
		if len(s) > 1 && strings.IndexByte(escapes, s[1]) >= 0 {
			return m.add(s[1:2], 2)
		}
	case '`':
		return m.code(ended)
	case '*', '_':
		return m.emphasis(ended)
	case '[':
		return m.link(ended)
	}
	return m.plain()
}

// plain takes characters up to the next that may mean something.
func (m *markdown) plain() int {
	r, n := utf8.DecodeRuneInString(m.line)
	if !m.oneWord && r >= 0x1100 && textWidth(string(r)) == 2 {
		// Text without spaces may be broken anywhere. Marks may follow.
		m.flushWord()
		m.add(m.line[:n], n)
		m.flushWord()
		return n
	}
	for n < len(m.line) {
		c := m.line[n]
		if strings.IndexByte(" \t\r\\`*_[", c) >= 0 || c >= utf8.RuneSelf {
			break
		}
		n++
	}
	return m.add(m.line[:n], n)
}

// add appends a piece to the word and returns n.
func (m *markdown) add(text string, n int) int {
	look := m.look()
	if last := len(m.word) - 1; last >= 0 && m.word[last].style == look {
		m.word[last].text += text
	} else {
		m.word = append(m.word, span{look, text})
	}
	return n
}

// look is the style of text at this place.
func (m *markdown) look() style {
	var look style
	if m.heading || slices.ContainsFunc(m.open, func(e emphasis) bool { return e.run > 1 }) {
		look += styleBold
	}
	if slices.ContainsFunc(m.open, func(e emphasis) bool { return e.run != 2 }) {
		look += styleItalic
	}
	return look
}

// code takes a code span.
func (m *markdown) code(ended bool) int {
	text, n, found := codeSpan(m.line, ended)
	switch {
	case found == yet && m.hold(ended):
		return 0
	case found == there:
		m.word = append(m.word, span{m.look() + styleCode, text})
		return n
	}
	ticks := len(m.line) - len(strings.TrimLeft(m.line, "`"))
	return m.add(m.line[:ticks], ticks)
}

// codeSpan reads a code span, of n bytes, that the text begins with.
func codeSpan(s string, ended bool) (text string, n int, found found) {
	ticks := runOf(s)
	for at := ticks; at < len(s); {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			break
		}
		end := at + i
		at = end + runOf(s[end:])
		switch {
		case at == len(s) && !ended:
			return "", 0, yet // the run may grow
		case at-end == ticks:
			text = s[ticks:end]
			if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' && strings.TrimSpace(text) != "" {
				text = text[1 : len(text)-1]
			}
			return text, at, there
		}
	}
	if !ended {
		return "", 0, yet
	}
	return "", 0, nowhere
}

// runOf is how often the first byte of the text is repeated.
func runOf(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }

// found is whether something stands in a text, or has yet to come.
type found uint8

const (
	nowhere found = iota
	there
	yet
)

// hold says whether to wait for a mark to be closed.
func (m *markdown) hold(ended bool) bool { return !ended && len(m.line) < holdLimit }

// link takes [text](address).
func (m *markdown) link(ended bool) int {
	l := m.kinds.link.FindStringSubmatch(m.line)
	switch {
	case isWord(m.prev), l != nil && (l[2] == "" || m.closesWithin(len(l[0]))): // a[0](x) is none
		return m.add("[", 1)
	case l != nil:
		m.word = append(m.word, span{m.look() + styleLink, l[1]})
		if l[2] != l[1] {
			m.word = append(m.word, span{styleDim, " (" + l[2] + ")"})
		}
		return len(l[0])
	}
	if m.kinds.mayBeLink.MatchString(m.line) && m.hold(ended) {
		return 0
	}
	return m.add("[", 1)
}

// flushWord writes the word, on a new line if it does not fit on this one.
func (m *markdown) flushWord() {
	if len(m.word) == 0 {
		return
	}
	w := 0
	for _, p := range m.word {
		w += textWidth(p.text)
	}
	lead := ""
	if m.col > 0 {
		lead = strings.Repeat(" ", m.spaces)
	}
	if m.col > len(m.indent) && m.col+len(lead)+w > m.width {
		lead = "\n" + m.indent
		m.col = len(m.indent)
	} else {
		m.col += len(lead)
	}
	parts := []any{lead}
	for _, p := range m.word {
		parts = append(parts, p)
	}
	m.s.put(parts...)
	m.col += w
	m.word, m.spaces = m.word[:0], 0
}
