package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
)

//go:embed count_chars.md
var countCharsDoc string

type countArgs struct {
	Path string `json:"path" example:"notes.txt"`
}

// A tally counts what is in a text that comes in pieces.
type tally struct {
	Characters int64 `json:"characters"`
	Bytes      int64 `json:"bytes"`
	Lines      int64 `json:"lines"`
	Words      int64 `json:"words"`
	NotUTF8    int64 `json:"bytes_not_utf8,omitempty"`

	inWord bool
	last   byte
}

func (f *folder) countChars(ctx context.Context, _ tools.Call, in countArgs) (any, error) {
	file, info, name, err := f.openNamed(in.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var t tally
	switch err := t.read(ctx, file); {
	case errors.Is(err, errBinary):
		return nil, notText(name, []byte{0}, info)
	case err != nil:
		return nil, err
	}
	return t, nil
}

// read counts to the end, or to the first zero byte. What is left of a piece
// after the last whole character begins the next one.
func (t *tally) read(ctx context.Context, r io.Reader) error {
	buf := make([]byte, 256<<10)
	kept := 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf[kept:])
		b := buf[:kept+n]
		if isBinary(b) {
			return errBinary
		}
		if err != nil {
			t.add(b)
			t.end()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		whole := cut.Whole(b)
		t.add(b[:whole])
		kept = copy(buf, b[whole:])
	}
}

func (t *tally) add(b []byte) {
	if len(b) == 0 {
		return
	}
	t.Bytes += int64(len(b))
	t.Lines += int64(bytes.Count(b, []byte("\n")))
	t.last = b[len(b)-1]
	chars, words, inWord := t.Characters, t.Words, t.inWord
	for i := 0; i < len(b); chars++ {
		size, space := 1, asciiSpace[b[i]]
		if b[i] >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(b[i:]); r == utf8.RuneError && size == 1 {
				t.NotUTF8++
			}
			space = unicode.IsSpace(r)
		}
		if !space && !inWord {
			words++
		}
		inWord = !space
		i += size
	}
	t.Characters, t.Words, t.inWord = chars, words, inWord
}

var asciiSpace = [256]bool{' ': true, '\t': true, '\n': true, '\v': true, '\f': true, '\r': true}

// end counts a last line without a line break.
func (t *tally) end() {
	if t.Bytes > 0 && t.last != '\n' {
		t.Lines++
	}
}
