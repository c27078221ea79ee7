package main

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// An editor is a line being typed, or several. Keys change it; draw says how it
// looks. It knows nothing of the terminal.
type editor struct {
	text   []rune
	cursor int // index into text
	killed []rune

	history []string // oldest first
	at      int      // the entry that is shown; len(history): what is being typed
	typed   []rune   // what was being typed when the history was entered
}

// An action is what the reader of the line has to do after a key.
type action uint8

const (
	actNone action = iota
	actDone        // the input is complete
	actInterrupt
	actEOF
	actClear // redraw on an empty screen
	actComplete
	actSuspend
)

func newEditor(history []string) *editor {
	return &editor{history: history, at: len(history)}
}

func (e *editor) String() string { return string(e.text) }

// press applies a key.
func (e *editor) press(k key) action {
	switch k.kind {
	case keyText, keyPaste:
		e.insert([]rune(k.text))
	case keyNewline:
		e.insert([]rune{'\n'})
	case keyEnter:
		return e.enter()
	case keyTab:
		return actComplete
	case keyInterrupt:
		return actInterrupt
	case keyClear:
		return actClear
	case keySuspend:
		return actSuspend
	case keyEOF:
		if len(e.text) == 0 {
			return actEOF
		}
		e.remove(e.cursor, e.next())
	case keyUp, keyDown:
		e.vertical(k.kind)
	case keyYank:
		e.insert(e.killed)
	default:
		e.move(k.kind)
	}
	return actNone
}

// move applies the keys that move the cursor or remove text.
func (e *editor) move(k keyKind) {
	switch k {
	case keyLeft:
		e.cursor = e.prev()
	case keyRight:
		e.cursor = e.next()
	case keyHome:
		e.cursor = e.lineStart()
	case keyEnd:
		e.cursor = e.lineEnd()
	case keyWordLeft:
		e.cursor = e.wordLeft()
	case keyWordRight:
		e.cursor = e.wordRight()
	case keyBackspace:
		e.remove(e.prev(), e.cursor)
	case keyDelete:
		e.remove(e.cursor, e.next())
	case keyKillEnd:
		e.kill(e.cursor, e.lineEnd())
	case keyKillStart:
		e.kill(e.lineStart(), e.cursor)
	case keyKillWord:
		e.kill(e.wordLeft(), e.cursor)
	}
}

// enter ends the input, or breaks the line when the input is not complete: a
// backslash at the end, or an open """.
func (e *editor) enter() action {
	if n := len(e.text); n > 0 && e.cursor == n && e.text[n-1] == '\\' {
		e.text[n-1] = '\n'
		return actNone
	}
	if strings.Count(string(e.text), `"""`)%2 == 1 {
		e.insert([]rune{'\n'})
		return actNone
	}
	return actDone
}

func (e *editor) insert(rs []rune) {
	e.text = slices.Insert(e.text, e.cursor, rs...)
	e.cursor += len(rs)
}

func (e *editor) remove(from, to int) {
	e.text = slices.Delete(e.text, from, to)
	e.cursor = from
}

// kill removes text that can be put back with keyYank.
func (e *editor) kill(from, to int) {
	if from == to {
		return
	}
	e.killed = slices.Clone(e.text[from:to])
	e.remove(from, to)
}

// set replaces the text.
func (e *editor) set(text []rune) {
	e.text = slices.Clone(text)
	e.cursor = len(e.text)
}

// next is the place after the character at the cursor: what a person sees as
// one, its accents and joined parts included.
func (e *editor) next() int {
	i := e.cursor
	if i == len(e.text) {
		return i
	}
	for i++; i < len(e.text) && continues(e.text[i-1], e.text[i]); i++ {
	}
	return i
}

// prev is the place before the character in front of the cursor.
func (e *editor) prev() int {
	i := e.cursor
	if i == 0 {
		return 0
	}
	for i--; i > 0 && continues(e.text[i-1], e.text[i]); i-- {
	}
	return i
}

// continues says whether r belongs to the character that ends with prev.
func continues(prev, r rune) bool {
	return prev == joiner || r == joiner || unicode.In(r, unicode.Mn, unicode.Me) || 0x1f3fb <= r && r <= 0x1f3ff
}

func (e *editor) lineStart() int {
	i := e.cursor
	for i > 0 && e.text[i-1] != '\n' {
		i--
	}
	return i
}

func (e *editor) lineEnd() int {
	i := e.cursor
	for i < len(e.text) && e.text[i] != '\n' {
		i++
	}
	return i
}

func (e *editor) wordLeft() int {
	i := e.cursor
	for i > 0 && !isWord(e.text[i-1]) {
		i--
	}
	for i > 0 && isWord(e.text[i-1]) {
		i--
	}
	return i
}

func (e *editor) wordRight() int {
	i := e.cursor
	for i < len(e.text) && !isWord(e.text[i]) {
		i++
	}
	for i < len(e.text) && isWord(e.text[i]) {
		i++
	}
	return i
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// vertical moves between the lines of the input and, beyond them, in the
// history.
func (e *editor) vertical(k keyKind) {
	column := e.cursor - e.lineStart()
	switch {
	case k == keyUp && e.lineStart() > 0:
		e.cursor = e.lineStart() - 1
		e.cursor = min(e.lineStart()+column, e.lineEnd())
	case k == keyDown && e.lineEnd() < len(e.text):
		e.cursor = e.lineEnd() + 1
		e.cursor = min(e.lineStart()+column, e.lineEnd())
	case k == keyUp && e.at > 0:
		e.recall(e.at - 1)
	case k == keyDown && e.at < len(e.history):
		e.recall(e.at + 1)
	}
}

func (e *editor) recall(to int) {
	if e.at == len(e.history) {
		e.typed = slices.Clone(e.text)
	}
	e.at = to
	if to == len(e.history) {
		e.set(e.typed)
		return
	}
	e.set([]rune(e.history[to]))
}

// complete extends the word that is all of the text so far to what the words
// that begin with it have in common, and returns those words.
func (e *editor) complete(words []string) []string {
	var fit []string
	for _, w := range words {
		if strings.HasPrefix(w, string(e.text)) {
			fit = append(fit, w)
		}
	}
	if len(fit) == 0 || e.cursor != len(e.text) {
		return nil
	}
	common := fit[0]
	for _, w := range fit[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	if len(fit) == 1 {
		common += " "
	}
	e.set([]rune(common))
	return fit
}

// A drawing is text in rows, and where the cursor stands in it.
type drawing struct {
	rows     []string
	row, col int
	top      int // rows that are left out above
}

// within is as much of d around the cursor as has room in height rows.
func (d drawing) within(height int) drawing {
	if n := len(d.rows); n > height {
		top := min(max(0, d.row-height/2), n-height)
		d.rows, d.row, d.top = d.rows[top:top+height], d.row-top, top
	}
	return d
}

// above is how many rows stand above the cursor on a terminal of another width,
// which breaks what was drawn on the old one anew.
func (d drawing) above(width int) int {
	n := d.row
	for i, row := range d.rows[:min(d.row+1, len(d.rows))] {
		if i == d.row {
			n += breaksBefore(row, d.col, width)
		} else {
			n += breaksBefore(row, math.MaxInt, width)
		}
	}
	return n
}

// breaksBefore is how often a terminal breaks a row up to the character at col.
func breaksBefore(row string, col, width int) int {
	var u ruler
	n, x := 0, 0
	for _, r := range row {
		w := u.add(r)
		if w > 0 && x+w > width {
			n, x = n+1, 0
		}
		x += w
		if col -= w; col < 0 {
			break
		}
	}
	return n
}

// draw lays the text out behind a prompt, further lines behind more, in rows of
// at most width columns.
func (e *editor) draw(prompt, more string, width int) drawing {
	var d drawing
	var b strings.Builder
	var u ruler
	b.WriteString(prompt)
	col := textWidth(prompt)
	end := func(next string) {
		d.rows = append(d.rows, b.String())
		b.Reset()
		b.WriteString(next)
		col, u = textWidth(next), ruler{}
	}
	for i := 0; ; i++ {
		if i == e.cursor {
			d.row, d.col = len(d.rows), col
		}
		if i == len(e.text) {
			break
		}
		r := e.text[i]
		if r == '\n' {
			end(more)
			continue
		}
		if r == '\t' {
			r = ' '
		}
		w := u.add(r)
		if w > 0 && col+w > width-1 {
			end("")
			w = u.add(r)
			if i == e.cursor {
				d.row, d.col = len(d.rows), 0
			}
		}
		b.WriteRune(r)
		col += w
	}
	d.rows = append(d.rows, b.String())
	return d
}
