package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/localagent/localagent/parse"
)

// maxReply is the size of one reply, and of one line of bulk input.
const maxReply = 64 << 20

// keepBuffer is the size up to which a buffer is kept for the next line.
const keepBuffer = 1 << 20

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxReply>>20)

// A bulkLine is one line of input of `parse --jsonl`.
type bulkLine struct {
	ID     json.RawMessage `json:"id"`
	Text   *string         `json:"text"`
	Tools  json.RawMessage `json:"tools"` // names or schemas; absent: those of --tools
	Finish *string         `json:"finish"`
}

// A bulkReader reads JSON lines and writes a line for each. Its memory does not
// grow with their number. Output waits in a buffer only as long as a whole line
// of input is at hand, so a program that sends one line gets its answer before
// it sends the next.
type bulkReader struct {
	*reader
	in   *bufio.Reader
	out  *bufio.Writer
	line []byte // the line being read, when it is longer than in's buffer
	buf  []byte // the line being written

	tools   []byte         // the "tools" of the line before; nil: it had none
	scanner *parse.Scanner // for them
}

func (r *reader) bulk(in io.Reader) error {
	// Next to nothing lives longer than a line: collecting often costs little
	// and keeps the peak where it was after the first lines.
	defer debug.SetGCPercent(debug.SetGCPercent(30))
	b := &bulkReader{
		reader: r,
		in:     bufio.NewReaderSize(in, 64<<10),
		out:    bufio.NewWriterSize(jsonWriter{r.e.out}, 64<<10),
	}
	for {
		if !b.waiting() {
			b.out.Flush()
		}
		line, err := b.next()
		if err != nil && !errors.Is(err, errLongLine) && len(line) == 0 {
			b.out.Flush()
			if err == io.EOF || errors.Is(err, os.ErrClosed) {
				return nil
			}
			return fmt.Errorf("reading lines: %w", err)
		}
		if err := b.answer(line, err); err != nil {
			return err
		}
	}
}

// waiting says whether a whole line of input is at hand.
func (b *bulkReader) waiting() bool {
	buffered, _ := b.in.Peek(b.in.Buffered())
	return bytes.IndexByte(buffered, '\n') >= 0
}

// next reads a line, which is valid until the next call. A line that is too
// long is passed over: errLongLine. At the end it returns what is left, then
// io.EOF.
func (b *bulkReader) next() ([]byte, error) {
	if cap(b.line) > keepBuffer {
		b.line = nil
	}
	b.line = b.line[:0]
	long := false
	for {
		part, err := b.in.ReadSlice('\n')
		if err == nil && len(b.line) == 0 && !long {
			return part, nil // the usual case: no copy
		}
		if long = long || len(b.line)+len(part) > maxReply; !long {
			b.line = append(b.line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case long:
			return nil, errLongLine
		case err == nil || len(b.line) > 0:
			return b.line, nil
		default:
			return nil, err
		}
	}
}

// answer writes the line for a line of input, which could not be read when err
// is not nil. Blank lines have no answer.
func (b *bulkReader) answer(line []byte, err error) error {
	line = bytes.TrimSpace(withoutMark(line))
	if err == nil && len(line) == 0 {
		return nil
	}
	var in bulkLine
	var res parse.Result
	if err == nil {
		err = plainJSON(json.Unmarshal(line, &in))
	}
	if err == nil {
		res, err = b.read(&in)
	}
	if in.ID == nil {
		in.ID = json.RawMessage("null")
	}
	b.count(&res)
	if cap(b.buf) > keepBuffer {
		b.buf = nil
	}
	b.buf = append(append(b.buf[:0], `{"id":`...), in.ID...)
	b.buf = append(b.buf, ',')
	if err != nil {
		b.buf = appendJSON(append(b.buf, `"error":`...), err.Error())
	} else {
		b.buf = appendReading(b.buf, &res)
	}
	b.buf = append(b.buf, '}', '\n')
	_, err = b.out.Write(b.buf)
	return err
}

// read reads the reply of one line.
func (b *bulkReader) read(in *bulkLine) (parse.Result, error) {
	if in.Text == nil {
		return parse.Result{}, errors.New(`the line has no "text"`)
	}
	finish := finishes[b.o.finish]
	if in.Finish != nil {
		f, ok := finishes[*in.Finish]
		if !ok {
			return parse.Result{}, fmt.Errorf(`"finish" is %q, want stop or length`, *in.Finish)
		}
		finish = f
	}
	if err := b.setTools(in.Tools); err != nil {
		return parse.Result{}, err
	}
	b.scanner.Reset()
	b.scanner.Feed(*in.Text)
	return b.scanner.Close(finish), nil
}

// withoutMark takes off the byte order mark that some programs begin a file with.
func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) }

// plainJSON says of a value of another type which field it is, and what was
// wanted, without the names of Go's types.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a text", reflect.Slice: "a list", reflect.Struct: "an object"}[kind.Type.Kind()]
	text := "want " + cmp.Or(want, "another value") + ", got " + kind.Value
	if kind.Field != "" {
		text = strconv.Quote(kind.Field) + ": " + text
	}
	return errors.New(text)
}

// setTools makes the scanner for the "tools" of a line. Lines of one source
// mostly have the same ones.
func (b *bulkReader) setTools(raw json.RawMessage) error {
	if string(raw) == "null" {
		raw = nil
	}
	if b.scanner != nil && bytes.Equal(raw, b.tools) && (raw == nil) == (b.tools == nil) {
		return nil
	}
	o := b.reader.options
	if raw != nil {
		var specs []toolSpec
		if err := json.Unmarshal(raw, &specs); err != nil {
			return fmt.Errorf(`"tools": want names or schemas: %w`, plainJSON(err))
		}
		o.Tools = specTools(specs)
	}
	b.tools, b.scanner = bytes.Clone(raw), parse.NewScanner(o)
	return nil
}
