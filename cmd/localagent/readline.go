package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// What ends the reading of a line without one.
var (
	errInterrupted = errors.New("interrupted")
	errPlainLong   = errors.New("a line of input is too long")
)

// A lineReader asks for a line, or for several that belong together.
type lineReader interface {
	// readLine returns io.EOF when there are no more, errInterrupted when
	// Ctrl-C was pressed.
	readLine(ctx context.Context, prompt string) (string, error)
}

// A plainReader reads lines where nothing can be edited: from a pipe, or on a
// terminal that cannot move its cursor.
type plainReader struct {
	r *bufio.Reader
	s *screen // shows the prompt; nil: nobody looks

	reading chan plainRead // the read that goes on, nil: none
}

// plainRead is what came of one read.
type plainRead struct {
	line string
	err  error
}

func (p *plainReader) readLine(ctx context.Context, prompt string) (string, error) {
	if p.s != nil {
		p.s.put(prompt)
	}
	var text strings.Builder
	for {
		line, err := p.line(ctx)
		text.WriteString(line)
		if err != nil && (text.Len() == 0 || ctx.Err() != nil) {
			if p.s != nil {
				p.s.put("\n")
			}
			return "", err
		}
		if text.Len() > maxInput {
			return "", errPlainLong
		}
		// An open """ goes on, as in the editor.
		if err != nil || strings.Count(text.String(), `"""`)%2 == 0 {
			return properText(text.String()), nil
		}
	}
}

// line reads one line. When ctx ends first, what is being read is for the next
// one.
func (p *plainReader) line(ctx context.Context) (string, error) {
	if p.reading == nil {
		p.reading = make(chan plainRead, 1)
		go func(done chan<- plainRead) {
			line, err := p.r.ReadString('\n')
			done <- plainRead{line, err}
		}(p.reading)
	}
	select {
	case r := <-p.reading:
		p.reading = nil
		return r.line, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// resizeDelay is how long a terminal must keep a new size. While a person drags
// the edge of a window what is drawn comes too late for the size it was drawn
// for; tmux tells of a new one every 250 ms only.
const resizeDelay = 300 * time.Millisecond

// A termReader edits a line on a terminal.
type termReader struct {
	in      *os.File
	s       *screen
	history *history
	words   []string // that Tab completes

	pending []byte            // read and not used yet
	shown   drawing           // what stands on the screen, zero: nothing
	reading chan terminalRead // the read that goes on, nil: none
	resized <-chan os.Signal  // the screen has another size
}

// readLine reads keys until the input is complete. The terminal is in raw mode
// meanwhile, so Ctrl-C is a key and no signal.
func (t *termReader) readLine(ctx context.Context, prompt string) (string, error) {
	old, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(t.in.Fd()), old)
	t.s.show("\x1b[?2004h") // pasted text comes marked as such
	defer t.s.show("\x1b[?2004l")
	resized, stop := onResize()
	defer stop()
	t.resized = resized

	e := newEditor(t.history.lines)
	t.shown = drawing{}
	for {
		t.draw(e, prompt)
		k, err := t.nextKey(ctx)
		if err != nil {
			t.leave(e, prompt)
			return "", err
		}
		switch e.press(k) {
		case actDone:
			t.leave(e, prompt)
			t.history.add(e.String())
			return e.String(), nil
		case actInterrupt:
			t.leave(e, prompt)
			return e.String(), errInterrupted
		case actEOF:
			t.leave(e, prompt)
			return "", io.EOF
		case actClear:
			t.s.raw("\x1b[H\x1b[2J")
			t.shown = drawing{}
		case actComplete:
			t.complete(e, prompt)
		case actSuspend:
			t.leave(e, prompt)
			t.suspend(old)
		}
	}
}

// draw draws the input in place of what was drawn before, in one write: as much
// of it as the screen holds.
func (t *termReader) draw(e *editor, prompt string) {
	width, height := t.s.size()
	t.put(t.layOut(e, prompt, width).within(height), prompt, width)
}

func (t *termReader) layOut(e *editor, prompt string, width int) drawing {
	return e.draw(prompt, strings.Repeat(" ", textWidth(prompt)-2)+"… ", width)
}

// put draws d in place of what was drawn before. Lines are not to be broken by
// the terminal meanwhile: it may take a character for wider than it is here.
// Each row is emptied by itself, as terminals keep a copy of a screen that is
// emptied as a whole.
func (t *termReader) put(d drawing, prompt string, width int) {
	var b strings.Builder
	b.WriteString("\x1b[?7l\r")
	cursorUp(&b, t.shown.above(width))
	for i, row := range d.rows {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[K")
		if i == 0 && d.top == 0 {
			b.WriteString(t.s.paint(span{styleBold, prompt}))
			row = row[len(prompt):]
		}
		b.WriteString(clean(row))
	}
	b.WriteString("\x1b[J\x1b[?7h")
	cursorUp(&b, len(d.rows)-1-d.row)
	b.WriteByte('\r')
	cursorRight(&b, d.col)
	t.s.raw(b.String())
	t.shown = d
}

// leave leaves all of the input on the screen, and the cursor below it.
func (t *termReader) leave(e *editor, prompt string) {
	e.cursor = len(e.text)
	width := t.s.width()
	t.put(t.layOut(e, prompt, width), prompt, width)
	t.s.raw("\r\n")
	t.shown = drawing{}
}

// complete does what Tab asks for, and lists the words when there are several.
func (t *termReader) complete(e *editor, prompt string) {
	if !strings.HasPrefix(e.String(), "/") {
		return
	}
	before := e.String()
	if fit := e.complete(t.words); len(fit) > 1 && e.String() == before {
		t.leave(e, prompt)
		t.s.put(span{styleDim, strings.Join(fit, "  ")})
		t.s.raw("\r\n")
	}
}

// nextKey waits for a key. One that means nothing says that the screen has
// another size.
func (t *termReader) nextKey(ctx context.Context) (key, error) {
	var settled <-chan time.Time
	for {
		if k, n := nextKey(t.pending); n > 0 {
			t.pending = t.pending[n:]
			return k, nil
		}
		if len(t.pending) > maxInput {
			return key{}, errPlainLong
		}
		if t.reading == nil {
			t.reading = make(chan terminalRead, 1)
			go func(done chan<- terminalRead) {
				b := make([]byte, 4096)
				n, err := t.in.Read(b)
				done <- terminalRead{b[:n], err}
			}(t.reading)
		}
		select {
		case r := <-t.reading:
			t.reading = nil
			if r.err != nil {
				return key{}, r.err
			}
			t.pending = append(t.pending, r.b...)
		case <-t.resized:
			settled = time.After(resizeDelay)
		case <-settled:
			return key{}, nil
		case <-ctx.Done(): // what is being read is for the next line
			return key{}, context.Cause(ctx)
		}
	}
}

// terminalRead is what came of one read.
type terminalRead struct {
	b   []byte
	err error
}

func cursorUp(b *strings.Builder, n int)    { cursorMove(b, n, 'A') }
func cursorRight(b *strings.Builder, n int) { cursorMove(b, n, 'C') }

func cursorMove(b *strings.Builder, n int, direction byte) {
	if n > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(n) + string(direction))
	}
}
