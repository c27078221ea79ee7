package main

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A markdown writes Markdown to a terminal while it comes: emphasis, code,
// headings, lists, quotes, tables and links are shown, text is wrapped between
// words. What is no valid Markdown is shown as it stands, and nothing is lost
// but the marks that a style replaces.
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
	indent  string // before the lines that a wrapped line becomes
	fence   string // what ends the code block
	table   []string

	col          int // of the terminal
	space        bool
	word         []span // pieces of the word that is being put together
	bold, italic bool
	prev         rune // the last character read, on this line
}

const (
	styleItalic style = "\x1b[3m"
	styleLink   style = "\x1b[4m"
	styleCode   style = styleName
)

// holdLimit is how much of a line is held back for a mark to be closed.
const holdLimit = 600

func newMarkdown(s *screen) *markdown {
	return &markdown{s: s, width: max(20, s.width()-1), kinds: kindsOfLines()}
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
	switch {
	case !ended && (m.kinds.undecided.MatchString(m.line) || m.kinds.fence.MatchString(m.line)):
		return
	case m.kinds.fence.MatchString(m.line), m.kinds.rule.MatchString(m.line), strings.HasPrefix(trimmed, "|"):
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
	case m.kinds.item.MatchString(m.line):
		mark := m.kinds.item.FindString(m.line)
		m.line = m.line[len(mark):]
		before := mark[:len(mark)-len(strings.TrimLeft(mark, " \t"))]
		bullet := strings.TrimSpace(mark)
		if strings.ContainsAny(bullet, "-*+") {
			bullet = "•"
		}
		m.lead(stylePlain, before, styleDim, bullet+" ")
	default:
		m.lead(stylePlain, m.line[:len(m.line)-len(trimmed)], stylePlain, "")
		m.line = trimmed
	}
}

// lead writes what stands before the text of a line; wrapped lines are
// indented as far.
func (m *markdown) lead(look style, before string, markLook style, mark string) {
	before = strings.ReplaceAll(before, "\t", "    ")
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
	case m.kinds.rule.MatchString(line):
		m.flushTable()
		m.s.put(span{styleDim, strings.Repeat("─", min(m.width, 40))}, "\n")
	default:
		m.table = append(m.table, line)
	}
	*m = markdown{s: m.s, width: m.width, kinds: m.kinds, fence: m.fence, table: m.table}
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
	}
}

// piece reads one piece from the front of the line and returns how many bytes
// it took, 0 when more has to come first.
func (m *markdown) piece(ended bool) int {
	s := m.line
	switch c := s[0]; c {
	case ' ', '\t', '\r':
		m.flushWord()
		m.space = true
		return 1
	case '\\':
		if len(s) == 1 && !ended {
			return 0
		}
		if len(s) > 1 && strings.IndexByte("\\`*_{}[]()#+-.!|>~", s[1]) >= 0 {
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
	if r >= 0x1100 && textWidth(string(r)) == 2 {
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
	if m.heading || m.bold {
		look += styleBold
	}
	if m.italic {
		look += styleItalic
	}
	return look
}

// code takes a code span.
func (m *markdown) code(ended bool) int {
	n := len(m.line) - len(strings.TrimLeft(m.line, "`"))
	if n == len(m.line) && !ended {
		return 0
	}
	ticks := m.line[:n]
	for at := n; at < len(m.line); {
		i := strings.Index(m.line[at:], ticks)
		if i < 0 {
			break
		}
		end := at + i
		after := end + n
		run := after
		for run < len(m.line) && m.line[run] == '`' {
			run++
		}
		if run == len(m.line) && !ended {
			return 0 // the run may grow
		}
		if run == after {
			m.word = append(m.word, span{m.look() + styleCode, strings.TrimSpace(m.line[n:end])})
			return after
		}
		at = run
	}
	if m.hold(ended) {
		return 0
	}
	return m.add(ticks, n)
}

// hold says whether to wait for a mark to be closed.
func (m *markdown) hold(ended bool) bool { return !ended && len(m.line) < holdLimit }

// emphasis takes a mark of bold or italic text. It counts only when its partner
// stands on the same line.
func (m *markdown) emphasis(ended bool) int {
	mark := m.line[:1]
	if strings.HasPrefix(m.line, mark+mark) {
		mark += mark
	} else if len(m.line) == 1 && !ended {
		return 0 // it may be doubled
	}
	open := &m.bold
	if len(mark) == 1 {
		open = &m.italic
	}
	rest := m.line[len(mark):]
	if *open && m.prev != ' ' && m.prev != 0 {
		*open = false
		return len(mark)
	}
	switch {
	case rest == "" && !ended:
		return 0
	case *open || rest == "" || strings.IndexByte(" \t", rest[0]) >= 0:
	case mark[0] == '_' && isWord(m.prev):
	case closes(rest, mark, ended):
		*open = true
		return len(mark)
	case m.hold(ended):
		return 0
	}
	return m.add(mark, len(mark))
}

// closes says whether the mark is closed in text: not behind a space, not in a
// code span, and not as part of a longer mark, which one at the end may still
// become.
func closes(text, mark string, ended bool) bool {
	code := false
	for i := 0; i+len(mark) <= len(text); i++ {
		if text[i] == '`' {
			code = !code
		}
		if i == 0 || code || !strings.HasPrefix(text[i:], mark) || text[i-1] == ' ' {
			continue
		}
		if len(mark) == 1 && (text[i-1] == mark[0] || strings.HasPrefix(text[i+1:], mark) || i+1 == len(text) && !ended) {
			continue
		}
		return true
	}
	return false
}

// link takes [text](address).
func (m *markdown) link(ended bool) int {
	if l := m.kinds.link.FindStringSubmatch(m.line); l != nil {
		m.word = append(m.word, span{m.look() + styleLink, l[1]})
		if l[2] != l[1] && l[2] != "" {
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
	if m.space && m.col > 0 {
		lead = " "
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
	m.word, m.space = m.word[:0], false
}

// flushTable writes the rows that were held back, their columns aligned, or as
// they stand when they do not fit.
func (m *markdown) flushTable() {
	rows := m.table
	m.table = nil
	cells, widths := readTable(rows)
	total := 0
	for _, w := range widths {
		total += w + 3
	}
	if len(rows) < 2 || total > m.width {
		for _, row := range rows {
			m.s.put(row, "\n")
		}
		return
	}
	for i, row := range cells {
		if row == nil {
			m.s.put(span{styleDim, strings.Repeat("─", total-1)}, "\n")
			continue
		}
		parts := []any{}
		for j, cell := range row {
			look := stylePlain
			if i == 0 {
				look = styleBold
			}
			parts = append(parts, " ", span{look, cell}, strings.Repeat(" ", widths[j]-textWidth(cell)), "  ")
		}
		m.s.put(append(parts, "\n")...)
	}
}

func isDelimiterRow(row string) bool {
	return strings.Contains(row, "-") && kindsOfLines().delimiterRow.MatchString(row)
}

// readTable splits rows into cells, none for the row below the head that only
// rules it off, and measures the columns.
func readTable(rows []string) (cells [][]string, widths []int) {
	for i, row := range rows {
		if i == 1 && isDelimiterRow(row) {
			cells = append(cells, nil)
			continue
		}
		row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
		var line []string
		for j, cell := range strings.Split(row, "|") {
			cell = clean(plainMarks.Replace(strings.TrimSpace(cell)))
			line = append(line, cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], textWidth(cell))
		}
		cells = append(cells, line)
	}
	return cells, widths
}

// plainMarks takes the marks out of a table's cell, which has one style.
var plainMarks = strings.NewReplacer("**", "", "`", "")
