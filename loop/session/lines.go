package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A Line is one line of a log as it stands there.
type Line struct {
	Type string
	Seq  int
	TS   string
	Step int
	JSON json.RawMessage // the whole line
}

// ErrVersion is a log that a newer program wrote.
var ErrVersion = errors.New("session: the log has a newer format than this program reads")

// Lines yields the lines of a log in order. What is no line (junk, a torn end)
// is passed over. The JSON of a line is valid until the next one. An error of r
// or [ErrVersion] is yielded once and ends the iteration.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		s := newLineScanner(r)
		for s.next() {
			if !yield(s.line, nil) {
				return
			}
		}
		if s.err != nil {
			yield(Line{}, s.err)
		}
	}
}

// A lineScanner splits a log into lines. It keeps track of what a writer has to
// cut off before it appends.
type lineScanner struct {
	r    *bufio.Reader
	buf  []byte
	line Line
	err  error // of the reader, or ErrVersion; never io.EOF
	end  int64 // of the last byte that ended in a newline
	torn int64 // bytes behind end
	seen int   // lines that were valid

	limit int64 // bytes of a line
}

func newLineScanner(r io.Reader) *lineScanner {
	return &lineScanner{r: bufio.NewReaderSize(r, 64<<10), limit: maxLine}
}

// next goes to the next valid line.
func (s *lineScanner) next() bool {
	for s.err == nil {
		raw, whole := s.read()
		if !whole {
			return false
		}
		if s.decode(raw) {
			s.seen++
			return true
		}
	}
	return false
}

// read returns the next bytes up to a newline, or nil for a line that is too
// long. whole is false at the end of the log.
func (s *lineScanner) read() (raw []byte, whole bool) {
	s.buf = s.buf[:0]
	size, tooLong := int64(0), false
	for {
		part, err := s.r.ReadSlice('\n')
		size += int64(len(part))
		if tooLong = tooLong || size > s.limit; !tooLong {
			s.buf = append(s.buf, part...)
		}
		switch {
		case err == nil && tooLong:
			s.end += size
			s.buf = nil
			return nil, true
		case err == nil:
			s.end += size
			return s.buf, true
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		s.torn = size
		if err != io.EOF {
			s.err = err
		}
		return nil, false
	}
}

// decode reads the head of a line and reports whether it is one.
func (s *lineScanner) decode(raw []byte) bool {
	var h head
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &h) != nil || h.V < 1 || h.Type == "" {
		return false
	}
	if h.V > Version {
		s.err = fmt.Errorf("%w (version %d, line %d)", ErrVersion, h.V, s.seen+1)
		return false
	}
	s.line = Line{Type: h.Type, Seq: h.Seq, TS: h.TS, Step: h.Step, JSON: json.RawMessage(raw[:len(raw)-1])}
	return true
}
