package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
)

//go:embed read_file.md
var readFileDoc string

type readArgs struct {
	Path   string `json:"path" example:"notes.txt"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1; negative: from the end"`
	Limit  int    `json:"limit,omitempty" jsonschema:"number of lines" min:"1"`
	Column int    `json:"column,omitempty" jsonschema:"first byte of the first line, from 1" min:"1"`
}

// maxCounted is the size up to which a file is read on to count its lines.
const maxCounted = 64 << 20

func (f *folder) readFile(ctx context.Context, c tools.Call, in readArgs) (any, error) {
	file, info, name, err := f.openNamed(in.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &textPage{page: newPage(c), file: file, info: info, name: name}
	if err := r.sniff(); err != nil {
		return nil, err
	}
	if err := r.begin(ctx, in); err != nil {
		return nil, err
	}
	return r.lines(ctx, cmp.Or(in.Limit, maxLines))
}

// A textPage is the part of a file that is shown.
type textPage struct {
	page *page
	file *os.File
	info fs.FileInfo
	name string

	first  int // number of the first line, from 1
	column int // of its first byte, from 1
	crlf   bool
	broken bool // there were bytes that are not UTF-8
}

// sniff refuses a binary file by its beginning.
func (r *textPage) sniff() error {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(r.file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return plain(r.name, err)
	}
	if err := notText(r.name, head[:n], r.info); err != nil {
		return err
	}
	_, err = r.file.Seek(0, io.SeekStart)
	return err
}

// notText says why a file that begins like this cannot be shown.
func notText(name string, head []byte, info fs.FileInfo) error {
	if !isBinary(head) {
		return nil
	}
	if b := string(head[:min(2, len(head))]); b == "\xff\xfe" || b == "\xfe\xff" {
		return fmt.Errorf("%s is UTF-16 text (%s), which is not read; convert it to UTF-8", name, bytesOf(info.Size()))
	}
	return fmt.Errorf("%s is a binary file (%s); it is not shown", name, bytesOf(info.Size()))
}

// begin goes to the first line that is asked for.
func (r *textPage) begin(ctx context.Context, in readArgs) error {
	r.first, r.column = max(in.Offset, 1), max(in.Column, 1)
	if in.Offset < 0 {
		total, err := r.count(ctx)
		if err != nil {
			return err
		}
		r.first = max(total+in.Offset, 0) + 1
	}
	lines, at, err := skipLines(ctx, r.file, r.first-1)
	switch {
	case errors.Is(err, io.EOF) || err == nil && r.first > 1 && at == r.info.Size():
		total, err := r.count(ctx)
		if err != nil {
			return err
		}
		return fmt.Errorf("offset %d is past the end; %s has %s", r.first, r.name, count(total, "line"))
	case err != nil:
		return r.failed(lines, err)
	}
	if _, err := r.file.Seek(at, io.SeekStart); err != nil {
		return err
	}
	return r.skipColumn(ctx)
}

// skipColumn goes to the first byte that is asked for, which must be in the
// line.
func (r *textPage) skipColumn(ctx context.Context) error {
	n := int64(r.column) - 1
	lines, at, err := skipLines(ctx, io.LimitReader(r.file, n), 1)
	switch {
	case errors.Is(err, io.EOF) && at == n:
		return nil
	case errors.Is(err, errBinary):
		return r.failed(r.first-1, err)
	case err != nil && !errors.Is(err, io.EOF):
		return err
	}
	return fmt.Errorf("column %d is past the end of line %d, which has %s", r.column, r.first, bytesOf(at-int64(lines)))
}

// count counts all lines; the last one need not end in a line break.
func (r *textPage) count(ctx context.Context) (int, error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	lines, at, err := skipLines(ctx, r.file, math.MaxInt)
	if !errors.Is(err, io.EOF) {
		return lines, r.failed(lines, err)
	}
	last := make([]byte, 1)
	if _, err := r.file.ReadAt(last, at-1); err == nil && last[0] != '\n' {
		lines++
	}
	_, err = r.file.Seek(0, io.SeekStart)
	return lines, err
}

func (r *textPage) failed(line int, err error) error {
	if errors.Is(err, errBinary) {
		return fmt.Errorf("%s (%s) has binary data after line %d", r.name, bytesOf(r.info.Size()), line)
	}
	return err
}

// lines shows up to limit lines.
func (r *textPage) lines(ctx context.Context, limit int) (any, error) {
	in := newLineReader(ctx, r.file)
	for next := r.first; ; next++ {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return r.atEnd(next), nil
		case err != nil && next == r.first:
			return nil, r.failed(next-1, err)
		case err != nil:
			return r.result(r.failed(next-1, err).Error()), nil
		case next == r.first+limit || next > r.first && !r.show(next, line):
			return r.atLimit(ctx, next), nil
		case next == r.first && !r.show(next, line):
			return r.result(r.showPart(next, line)), nil
		}
	}
}

// show adds a line, if it fits whole.
func (r *textPage) show(number int, line textLine) bool {
	r.crlf = r.crlf || line.crlf
	return line.size == int64(len(line.text)) && r.add(number, line.text)
}

// showPart adds the beginning of a line that is too long for a page, and
// returns the note for it.
func (r *textPage) showPart(number int, line textLine) string {
	text := line.text[:cut.End(line.text, max(r.page.left()-8, 1))]
	for len(text) > 0 && !r.add(number, text) { // what is not UTF-8 grows
		text = text[:cut.End(text, len(text)/2)]
	}
	return fmt.Sprintf("%s of line %d left out; go on with offset=%d column=%d",
		bytesOf(line.size-int64(len(text))), number, number, r.column+len(text))
}

// add adds the text as valid UTF-8.
func (r *textPage) add(number int, text []byte) bool {
	if !r.page.add(strconv.Itoa(number) + "\t" + cut.Valid(text)) {
		return false
	}
	r.broken = r.broken || !utf8.Valid(text)
	return true
}

// result ends the page early.
func (r *textPage) result(why string) tools.Result {
	r.page.cut = true
	return r.page.result(append(r.notes(), why)...)
}

// atEnd ends the page where the file ends.
func (r *textPage) atEnd(next int) tools.Result {
	notes := r.notes()
	switch {
	case next == 1 && r.column == 1: // by what was read: files in /proc have no size
		notes = append(notes, r.name+" is empty")
	case next == r.first:
		notes = append(notes, fmt.Sprintf("nothing after column %d of line %d", r.column-1, r.first))
	case r.first > 1 || r.column > 1:
		notes = append(notes, fmt.Sprintf("end of the file; it has %s", count(next-1, "line")))
	}
	return r.page.result(notes...)
}

// atLimit ends the page before the line next, and says how many lines there are
// in all when that is soon known.
func (r *textPage) atLimit(ctx context.Context, next int) tools.Result {
	all := bytesOf(r.info.Size())
	if r.info.Size() <= maxCounted {
		if total, err := r.count(ctx); err == nil {
			all = count(total, "line")
		}
	}
	return r.result(fmt.Sprintf("lines %d-%d of a file of %s; go on with offset=%d", r.first, next-1, all, next))
}

func (r *textPage) notes() []string {
	var ns []string
	if r.crlf {
		ns = append(ns, "lines end in CRLF")
	}
	if r.broken {
		ns = append(ns, "bytes that are not UTF-8 are shown as \uFFFD")
	}
	return ns
}
