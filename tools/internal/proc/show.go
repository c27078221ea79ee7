package proc

import (
	"bytes"

	"github.com/localagent/localagent/tools/internal/cut"
)

// Show returns what fits of the stream into room bytes and a number of lines,
// as valid UTF-8: all of it, or its beginning and its end, in whole lines if
// they are not too long, and how many bytes stand between them.
func (s *Stream) Show(room, lines int) (head, tail string, left int64) {
	h, t, room := s.Head, s.Tail, max(room, 0)
	if s.Whole() {
		h = append(h[:len(h):len(h)], t...)
		if text := cut.Valid(h); len(text) <= room && bytes.Count(h, newline) <= lines {
			return text, "", 0
		}
		t = h
	} else {
		h = h[:cut.Whole(h)]
	}
	h, t = fitHead(h, room/2, lines/2), fitTail(t, room/2, lines/2)
	return cut.Valid(h), cut.Valid(t), s.Size - int64(len(h)+len(t))
}

var newline = []byte("\n")

// fitHead is the beginning of b that has at most n bytes as valid text.
func fitHead(b []byte, n, lines int) []byte {
	b = b[:cut.End(b, n)]
	for len(cut.Valid(b)) > n { // what is not UTF-8 grows
		b = b[:cut.End(b, len(b)*3/4)]
	}
	if i := lineBreak(b, lines); i >= 0 {
		return b[:i+1]
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= len(b)/2 {
		return b[:i+1]
	}
	return b
}

// fitTail is the same of the end.
func fitTail(b []byte, n, lines int) []byte {
	b = b[cut.Start(b, len(b)-n):]
	for len(cut.Valid(b)) > n {
		b = b[cut.Start(b, len(b)/4+1):]
	}
	if more := bytes.Count(b, newline) - lines; more > 0 {
		return b[lineBreak(b, more)+1:]
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i < len(b)/2 {
		return b[i+1:]
	}
	return b
}

// lineBreak is the place of the n-th line break, or -1.
func lineBreak(b []byte, n int) int {
	at := -1
	for ; n > 0; n-- {
		i := bytes.IndexByte(b[at+1:], '\n')
		if i < 0 {
			return -1
		}
		at += 1 + i
	}
	return at
}
