package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
)

//go:embed search_text.md
var searchTextDoc string

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"regular expression (RE2)" example:"TODO"`
	Path    string `json:"path,omitempty" jsonschema:"folder or file; without it the working folder" example:"src"`
	Glob    string `json:"glob,omitempty" jsonschema:"only files that match" example:"*.go"`
	Context int    `json:"context,omitempty" jsonschema:"lines around each match" min:"0" max:"20"`
}

// maxShown is how much of a line is shown around the match.
const maxShown = 400

func (f *folder) searchText(ctx context.Context, c tools.Call, in searchArgs) (any, error) {
	re, err := regexp.Compile(in.Pattern)
	if err != nil {
		return nil, fmt.Errorf(`%w; the syntax is RE2; put \ before . * + ? ( ) [ ] { } | ^ $ to search for them`, err)
	}
	if in.Pattern == "" {
		return nil, errors.New("the pattern is empty; it would match every line")
	}
	g, err := newGlob(in.Glob)
	if err != nil {
		return nil, err
	}
	s := &search{ctx: ctx, f: f, re: re, around: in.Context, page: newPage(c), needle: needleOf(in.Pattern)}
	s.lines = newLineReader(ctx, nil)
	if err := s.in(in.Path, g); err != nil {
		return nil, err
	}
	return s.result(in), nil
}

// A search goes through files until the page is full.
type search struct {
	ctx    context.Context
	f      *folder
	re     *regexp.Regexp
	needle needle
	around int // lines of context
	page   *page
	lines  *lineReader

	files, binary, unread int
	partly                int // lines of which only the beginning was searched
	matches               int
	walk                  *walker
}

// in searches a file, or the files of a folder that match.
func (s *search) in(p string, g glob) error {
	dir, err := s.f.cleanDir(p)
	if err != nil {
		return s.one(p, err)
	}
	s.walk = s.f.walker("search_text", maxDepth)
	for n := range s.walk.nodes(s.ctx, dir) {
		if !n.mode.IsRegular() || !g.match(dir, n.path) {
			continue
		}
		if file, _, err := s.f.openNow(n.path); err != nil {
			s.unread++
		} else if !s.file(n.path, file) {
			break
		}
	}
	return nil
}

// one searches a path that is no folder, if it is a file.
func (s *search) one(p string, notFolder error) error {
	p, err := s.f.clean(p)
	if err != nil {
		return err
	}
	if info, err := s.f.root.Stat(p); err != nil || !info.Mode().IsRegular() {
		return notFolder
	}
	file, _, err := s.f.open(p)
	if err == nil {
		s.file(p, file)
	}
	return err
}

// file searches one file and closes it; it reports whether there is room for more.
func (s *search) file(p string, file *os.File) bool {
	defer file.Close()
	s.files++
	s.lines.read(file)
	l := lister{search: s, name: shown(p)}
	err := l.run()
	switch {
	case errors.Is(err, errBinary):
		s.binary++
	case err != nil && !errors.Is(err, io.EOF) && s.ctx.Err() == nil:
		s.unread++
	}
	return !s.page.cut && s.ctx.Err() == nil
}

// finds reports where a line matches.
func (s *search) finds(line []byte) []int {
	if !s.needle.mayBeIn(line) {
		return nil
	}
	return s.re.FindIndex(line)
}

// A lister writes the matching lines of one file with the lines around them.
type lister struct {
	*search
	name string

	before [][]byte // the last lines that were not shown
	after  int      // lines to show after a match
	gap    bool     // lines were left out since the last one shown
	shown  bool
}

func (l *lister) run() error {
	for number := 1; !l.page.cut; number++ {
		line, err := l.lines.next()
		if err != nil {
			return err
		}
		if line.size > int64(len(line.text)) {
			l.partly++
		}
		switch at := l.finds(line.text); {
		case at != nil:
			l.match(number, line.text, at)
		case l.after > 0:
			l.after--
			l.add(number, '-', excerpt(line.text, nil))
		default:
			l.keep(line.text)
		}
	}
	return nil
}

// match shows a line and what stood before it.
func (l *lister) match(number int, text []byte, at []int) {
	if l.gap && l.shown && l.around > 0 {
		l.page.add("--")
	}
	for i, b := range l.before {
		l.add(number-len(l.before)+i, '-', string(b))
	}
	l.before, l.gap, l.shown, l.after = l.before[:0], false, true, l.around
	if l.add(number, ':', excerpt(text, at)) {
		l.matches++
	}
}

// keep remembers a line that may come to stand before a match.
func (l *lister) keep(text []byte) {
	if l.around == 0 {
		return
	}
	if len(l.before) == l.around {
		l.before, l.gap = append(l.before[:0], l.before[1:]...), true
	}
	l.before = append(l.before, []byte(excerpt(text, nil)))
}

func (l *lister) add(number int, mark byte, text string) bool {
	return l.page.add(fmt.Sprintf("%s%c%d%c %s", l.name, mark, number, mark, text))
}

// excerpt is a line, or of a long one the part around a match.
func excerpt(line []byte, at []int) string {
	if len(line) <= maxShown {
		return cut.Valid(line)
	}
	start := 0
	if at != nil {
		start = cut.Start(line, min(at[0]-maxShown/4, len(line)-maxShown))
	}
	end := cut.End(line, start+maxShown)
	text := cut.Valid(line[start:end])
	if start > 0 {
		text = fmt.Sprintf("[%s] … %s", bytesOf(int64(start)), text)
	}
	if end < len(line) {
		text += fmt.Sprintf(" … [%s]", bytesOf(int64(len(line)-end)))
	}
	return text
}

func (s *search) result(in searchArgs) tools.Result {
	var notes []string
	if s.matches == 0 && !s.page.cut {
		notes = append(notes, fmt.Sprintf("no line matches %.100q in %s", in.Pattern, count(s.files, "file")))
	}
	if s.page.cut {
		notes = append(notes, fmt.Sprintf("stopped after %s; there may be more: narrow the search with path, glob or pattern", count(s.matches, "matching line")))
	}
	if s.ctx.Err() != nil {
		notes = append(notes, fmt.Sprintf("not finished: %s searched", count(s.files, "file")))
	}
	if s.binary > 0 {
		notes = append(notes, count(s.binary, "binary file")+" not searched, or only up to the binary data")
	}
	if s.unread > 0 {
		notes = append(notes, count(s.unread, "file")+" could not be read")
	}
	if s.partly > 0 {
		notes = append(notes, fmt.Sprintf("of %s only the first 1 MB was searched", count(s.partly, "line")))
	}
	if s.walk != nil && s.matches == 0 || s.walk != nil && (s.walk.full || s.walk.hidden > 0 || s.walk.unread > 0) {
		notes = append(notes, s.walk.notes()...)
	}
	return s.page.result(notes...)
}
