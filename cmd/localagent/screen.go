package main

import (
	"cmp"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// A screen is the way to stdout or stderr, the only one. All text that passes
// is cleaned; the only escape sequences are the screen's own, and only when
// colour is on. The first error stays in err; later writes do nothing.
type screen struct {
	w     io.Writer
	tty   bool
	color bool
	env   func(string) string
	err   error

	half    []byte  // a rune cut at the end of a Write
	before  *status // a line that has to go before anything is written
	midLine bool    // the cursor stands behind text
	beside  *screen // shares the terminal, nil: none does
}

// A style is how a span looks where colour is on.
type style string

const (
	stylePlain style = ""
	styleDim   style = "\x1b[2m"
	styleBold  style = "\x1b[1m"
	styleError style = "\x1b[31m"
	styleGood  style = "\x1b[32m"
	styleWarn  style = "\x1b[33m"
	styleName  style = "\x1b[36m"

	styleReset = "\x1b[0m"
)

// A span is text in one style.
type span struct {
	style style
	text  string
}

func newScreen(w io.Writer, getenv func(string) string) *screen {
	s := &screen{w: w, tty: isTerminal(w), env: getenv}
	s.setColor("auto")
	return s
}

// setColor decides about colour: always, never, or auto, which means on a
// terminal that can show it unless NO_COLOR is set.
func (s *screen) setColor(when string) {
	switch when {
	case "always":
		s.color = true
	case "never":
		s.color = false
	default:
		s.color = s.canMove() && s.env("NO_COLOR") == ""
	}
}

// canMove says whether the cursor may be moved: for a line that is rewritten. A
// terminal that does not say what it is can nothing, but on Windows, where none
// does.
func (s *screen) canMove() bool {
	kind := s.env("TERM")
	return s.tty && kind != "dumb" && (kind != "" || runtime.GOOS == "windows")
}

// width is the number of columns.
func (s *screen) width() int {
	width, _ := s.size()
	return width
}

// size is the number of columns and of rows.
func (s *screen) size() (width, height int) {
	const usualWidth, usualHeight = 80, 24
	if f, ok := s.w.(*os.File); ok && s.tty {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w, cmp.Or(h, usualHeight)
		}
	}
	if w, err := strconv.Atoi(s.env("COLUMNS")); err == nil && w > 0 {
		return w, usualHeight
	}
	return usualWidth, usualHeight
}

// discarded says whether all that is written is lost without an error, and not
// plainly on purpose: the null device is open for reading too. That is what Go's
// runtime puts in the place of a closed descriptor before a program begins. Some
// programs do the same to be rid of output, so it is no reason to fail.
func (s *screen) discarded() bool {
	f, ok := s.w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	null, nullErr := os.Stat(os.DevNull)
	if err != nil || nullErr != nil || !os.SameFile(st, null) {
		return false
	}
	_, err = f.Read(make([]byte, 1))
	return err == io.EOF
}

// put writes parts, each a string or a [span], as one write.
func (s *screen) put(parts ...any) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.WriteString(clean(p))
		case span:
			b.WriteString(s.paint(p))
		}
	}
	s.raw(b.String())
}

// note writes text behind the program's name, on a terminal wrapped between
// words.
func (s *screen) note(look style, text string) {
	const name = "localagent: "
	s.put(span{look, name}, s.fold(text, len(name), "  "), "\n")
}

// fold breaks text that begins at column col between words, where the terminal
// is too narrow for it; indent stands before each further line.
func (s *screen) fold(text string, col int, indent string) string {
	if !s.tty || col+textWidth(text) < s.width() {
		return text
	}
	return wrapIndented(text, s.width()-1, col, indent)
}

// rows breaks a line so that no row of it is wider than the terminal less an
// indent.
func (s *screen) rows(line string, indent int) (rows []string) {
	const tab = 8 // columns at most
	width := max(s.width()-1-indent, tab)
	if !s.tty {
		return []string{line}
	}
	var u ruler
	start, col := 0, 0
	for i, r := range line {
		w := u.add(r)
		if r == '\t' {
			w = tab
		}
		if w > 0 && col+w > width {
			rows = append(rows, line[start:i])
			start, col = i, 0
		}
		col += w
	}
	return append(rows, line[start:])
}

// row writes a line of a list: its head, whose parts are those of put, and as
// much of a text as there is room for. On a terminal with next to no room the
// text stands below.
func (s *screen) row(text string, head ...any) {
	const least, indent = 20, "    "
	room := s.width()
	for _, p := range head {
		switch p := p.(type) {
		case string:
			room -= textWidth(p)
		case span:
			room -= textWidth(p.text)
		}
	}
	if s.tty && room < least {
		head = append(head, "\n"+indent)
		room = s.width() - len(indent)
	}
	s.put(append(head, oneLine(text, max(least, room)), "\n")...)
}

// paint is the span as the screen shows it.
func (s *screen) paint(p span) string {
	if !s.color || p.style == stylePlain || p.text == "" {
		return clean(p.text)
	}
	return string(p.style) + clean(p.text) + styleReset
}

// raw writes text that is known to be safe.
func (s *screen) raw(text string) {
	if text == "" {
		return
	}
	if s.before != nil {
		s.before.around(func() { s.write(text) })
		return
	}
	s.write(text)
}

// show writes text that leaves the cursor at the start of its line, or where it
// is.
func (s *screen) show(text string) {
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
	}
}

// fresh takes away what the terminal itself has shown on a line where nothing
// else stands, such as the ^C of a key.
func (s *screen) fresh() {
	if s.canMove() && !s.midLine && (s.beside == nil || !s.beside.midLine) {
		s.raw("\r\x1b[K")
		s.midLine = false
	}
}

func (s *screen) write(text string) {
	if o := s.beside; o != nil && o.midLine {
		o.write("\n")
	}
	if s.err == nil {
		_, s.err = io.WriteString(s.w, text)
		s.midLine = !strings.HasSuffix(text, "\n")
	}
}

// Write cleans and writes text. A rune may be split between two writes.
func (s *screen) Write(p []byte) (int, error) {
	n := len(p)
	if len(s.half) > 0 {
		p = append(s.half, p...)
	}
	cut := len(p) - halfRune(p)
	s.half = append([]byte(nil), p[cut:]...)
	s.raw(clean(string(p[:cut])))
	return n, s.err
}

// halfRune is the number of bytes at the end of p that begin a rune and do not
// finish it.
func halfRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			break
		}
	}
	return 0
}

// jsonLines writes lines of JSON.
func (s *screen) jsonLines(lines []byte) {
	s.raw(string(escapeJSON(lines)))
}

// A jsonWriter writes lines of JSON to a screen.
type jsonWriter struct{ s *screen }

func (w jsonWriter) Write(p []byte) (int, error) {
	w.s.jsonLines(p)
	return len(p), w.s.err
}
