package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// maxLine is how much of one line is read; the rest of it is skipped.
const maxLine = 1 << 20

// sniffed is how much of a file is looked at to tell whether it is binary.
const sniffed = 8 << 10

// errBinary is a file with a zero byte: no text.
var errBinary = errors.New("binary data")

func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// A lineReader reads lines in bounded memory.
type lineReader struct {
	ctx context.Context
	r   *bufio.Reader
	buf []byte
}

func newLineReader(ctx context.Context, r io.Reader) *lineReader {
	return &lineReader{ctx: ctx, r: bufio.NewReaderSize(r, 64<<10)}
}

// read begins with another file.
func (l *lineReader) read(r io.Reader) { l.r.Reset(r) }

// A textLine is a line without its line break.
type textLine struct {
	text []byte // valid until the next one is read
	size int64  // its length; more than len(text) if it was longer than maxLine
	crlf bool
}

// next returns the next line; at the end io.EOF, for a zero byte errBinary.
func (l *lineReader) next() (textLine, error) {
	if err := l.ctx.Err(); err != nil {
		return textLine{}, err
	}
	piece, err := l.r.ReadSlice('\n')
	if isBinary(piece) {
		return textLine{}, errBinary
	}
	line := textLine{text: piece, size: int64(len(piece))}
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.long(piece)
	}
	if err != nil && (!errors.Is(err, io.EOF) || line.size == 0) {
		return textLine{}, err
	}
	return line.trim(), nil
}

// long reads on in a line that the buffer does not hold.
func (l *lineReader) long(piece []byte) (textLine, error) {
	l.buf = append(l.buf[:0], piece...)
	size := int64(len(piece))
	for {
		if err := l.ctx.Err(); err != nil {
			return textLine{}, err
		}
		piece, err := l.r.ReadSlice('\n')
		if isBinary(piece) {
			return textLine{}, errBinary
		}
		size += int64(len(piece))
		l.buf = append(l.buf, piece[:min(len(piece), max(0, maxLine-len(l.buf)))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			line := textLine{text: l.buf, size: size}
			if err == nil && size > int64(len(l.buf)) {
				line.size-- // the line break was not kept
			}
			return line, err
		}
	}
}

// trim cuts the line break of a line that is all there.
func (t textLine) trim() textLine {
	if t.size > int64(len(t.text)) {
		return t
	}
	t.text = bytes.TrimSuffix(t.text, []byte("\n"))
	if text, ok := bytes.CutSuffix(t.text, []byte("\r")); ok && t.size > int64(len(t.text)) {
		t.text, t.crlf = text, true
	}
	t.size = int64(len(t.text))
	return t
}

// skipLines reads past n lines and reports how many there were, and the place
// of the line after them. It does not go past a zero byte.
func skipLines(ctx context.Context, r io.Reader, n int) (lines int, at int64, err error) {
	buf := make([]byte, 256<<10)
	for lines < n && err == nil {
		if err := ctx.Err(); err != nil {
			return lines, at, err
		}
		var m int
		m, err = r.Read(buf)
		b := buf[:m]
		if zero := bytes.IndexByte(b, 0); zero >= 0 {
			b, err = b[:zero], errBinary
		}
		here, size := skipIn(b, n-lines)
		lines += here
		at += int64(size)
	}
	if lines == n {
		return lines, at, nil
	}
	return lines, at, err
}

// skipIn skips at most n lines of b: all of it, if it has fewer.
func skipIn(b []byte, n int) (lines, size int) {
	if lines = bytes.Count(b, []byte("\n")); lines < n {
		return lines, len(b)
	}
	for range n {
		size += bytes.IndexByte(b[size:], '\n') + 1
	}
	return n, size
}
