package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
)

// Info is what a list says of a log.
type Info struct {
	ID       string
	Path     string
	Size     int64     // bytes
	Began    time.Time // of the first run
	Modified time.Time // when it was last written to
	Model    string    // of the first run
	CWD      string    // of the first run
	Prompt   string    // first line of what was asked first, at most 200 bytes
	Steps    int       // of all runs, as far as the last lines tell
	Stop     loop.Stop // of the last run; "": it goes on, or was cut off
}

// ErrNotFound is a reference that no log fits.
var ErrNotFound = errors.New("session: no such session")

// ErrAmbiguous is a reference that several logs fit.
var ErrAmbiguous = errors.New("session: more than one fits")

// window is how much of either end of a log a list looks at.
const window = 64 << 10

// maxPrompt bounds [Info].Prompt, in bytes.
const maxPrompt = 200

// List returns the logs in dir, the one last written to first. Other files are
// passed over; a folder that does not exist has none. Of a long log only its
// two ends are read.
func List(dir string) ([]Info, error) {
	files, err := logFiles(dir)
	if err != nil {
		return nil, err
	}
	var infos []Info
	for _, f := range files {
		if info, err := stat(filepath.Join(dir, f.Name())); err == nil {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// logFiles are the files in dir that may be logs, the newest first.
func logFiles(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != extension {
			continue
		}
		if info, err := e.Info(); err == nil { // else it was just removed
			files = append(files, info)
		}
	}
	slices.SortFunc(files, newestFirst)
	return files, nil
}

func newestFirst(a, b fs.FileInfo) int {
	if c := b.ModTime().Compare(a.ModTime()); c != 0 {
		return c
	}
	return strings.Compare(b.Name(), a.Name())
}

// Latest returns the log in dir that was last written to.
func Latest(dir string) (Info, error) {
	files, err := logFiles(dir)
	if err != nil {
		return Info{}, err
	}
	for _, f := range files {
		if info, err := stat(filepath.Join(dir, f.Name())); err == nil {
			return info, nil
		}
	}
	return Info{}, fmt.Errorf("%w in %s", ErrNotFound, dir)
}

// Find returns the log that ref means: an id in dir, the beginning or the end
// of one that fits no other, or a path of a file.
func Find(dir, ref string) (Info, error) {
	if isPath(ref) {
		return stat(ref)
	}
	files, err := logFiles(dir)
	if err != nil {
		return Info{}, err
	}
	var fits []Info
	for _, f := range files {
		id := idOf(f.Name())
		if ref == "" || !strings.HasPrefix(id, ref) && !strings.HasSuffix(id, ref) {
			continue
		}
		info, err := stat(filepath.Join(dir, f.Name()))
		switch {
		case err != nil:
		case id == ref:
			return info, nil
		default:
			fits = append(fits, info)
		}
	}
	switch len(fits) {
	case 0:
		return Info{}, fmt.Errorf("%w: %q in %s", ErrNotFound, ref, dir)
	case 1:
		return fits[0], nil
	}
	more := ""
	if n := len(fits) - 2; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return Info{}, fmt.Errorf("%w %q: %s, %s%s", ErrAmbiguous, ref, fits[0].ID, fits[1].ID, more)
}

// isPath says whether ref names a file rather than an id.
func isPath(ref string) bool {
	return strings.ContainsRune(ref, filepath.Separator) || strings.ContainsRune(ref, '/') ||
		filepath.Ext(ref) == extension
}

// Remove deletes the log that ref means, as [Find] has it, and the folder of
// its own that goes with it. A log that a run appends to is [ErrInUse].
func Remove(dir, ref string) (Info, error) {
	info, err := Find(dir, ref)
	if err != nil {
		return Info{}, err
	}
	f, err := os.OpenFile(info.Path, os.O_RDWR, 0)
	if err != nil {
		return Info{}, err
	}
	err = lock(f)
	f.Close()
	if err != nil {
		return Info{}, fmt.Errorf("%w: %s", err, info.Path)
	}
	return info, errors.Join(os.Remove(info.Path), os.RemoveAll(spillDir(info.Path)))
}

// stat looks at both ends of a log.
func stat(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	if !st.Mode().IsRegular() {
		return Info{}, fmt.Errorf("%w: %s", ErrNoLog, path)
	}
	info := Info{ID: idOf(path), Path: path, Size: st.Size(), Modified: st.ModTime()}
	if err := info.readEnds(f); err != nil {
		return Info{}, fmt.Errorf("%w: %s", err, path)
	}
	return info, nil
}

func (i *Info) readEnds(f io.ReaderAt) error {
	head, err := readAt(f, 0, i.Size)
	if err != nil {
		return err
	}
	if !i.readHead(head) {
		return ErrNoLog
	}
	start := max(0, i.Size-window)
	tail, err := readAt(f, start, i.Size)
	if err != nil {
		return err
	}
	if start > 0 { // what stands before the first newline is half a line
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	i.readTail(tail)
	return nil
}

// readAt reads at most a window of a file of that size.
func readAt(f io.ReaderAt, offset, size int64) ([]byte, error) {
	b := make([]byte, min(window, size-offset))
	n, err := f.ReadAt(b, offset)
	if errors.Is(err, io.EOF) {
		err = nil // it shrank meanwhile
	}
	return b[:n], err
}

// readHead reads the first run's init line and prompt. It reports whether there
// was a whole line.
func (i *Info) readHead(b []byte) bool {
	s := newLineScanner(bytes.NewReader(b))
	for s.next() {
		switch s.line.Type {
		case typeInit:
			var l initLine
			if json.Unmarshal(s.line.JSON, &l) == nil && i.Began.IsZero() {
				i.Model, i.CWD = l.Model, l.CWD
				i.Began, _ = time.Parse(time.RFC3339, l.TS)
			}
		case typeMessage:
			var l messageLine
			if json.Unmarshal(s.line.JSON, &l) == nil && l.Role == loop.User {
				i.Prompt = Title(l.Content)
				return true
			}
		}
	}
	i.Prompt = Title(tornContent(b[s.end:]))
	return s.seen > 0
}

// tornContent is the beginning of the content of a message line that goes on
// behind what was read.
func tornContent(b []byte) string {
	const key = `"content":`
	at := bytes.Index(b, []byte(key))
	if at < 0 || !bytes.Contains(b[:at], []byte(`"type":"message"`)) {
		return ""
	}
	b = b[at+len(key):]
	// A cut may have parted an escape, which takes at most twelve bytes, or a
	// rune: one of the nearest places before it is a whole beginning.
	for n := len(b); n > 0 && n > len(b)-12; n-- {
		var s string
		if utf8.Valid(b[:n]) && json.Unmarshal(append(bytes.Clone(b[:n]), '"'), &s) == nil {
			return s
		}
	}
	return ""
}

// Title is what a list shows of a task: the first line of what the user asked,
// or, when that is not there, of what was given beside it; at most 200 bytes.
func Title(prompt string) string {
	if line := firstLine(withoutBlocks(prompt)); line != "" {
		return line
	}
	for line := range strings.Lines(prompt) {
		if line = firstLine(line); line != "" && !isBlockStart(line) {
			return line
		}
	}
	return ""
}

// withoutBlocks cuts off what stands before the instruction: text that was
// piped in, and files; see [loop.Attachment].
func withoutBlocks(prompt string) string {
	for {
		rest := strings.TrimSpace(prompt)
		end := ""
		switch {
		case strings.HasPrefix(rest, "<stdin>\n"):
			end = "\n</stdin>"
		case strings.HasPrefix(rest, `<file name="`):
			end = "\n</file>"
		default:
			return rest
		}
		_, after, closed := strings.Cut(rest, end)
		if !closed {
			return ""
		}
		prompt = after
	}
}

func isBlockStart(line string) bool {
	return line == "<stdin>" || strings.HasPrefix(line, `<file name="`)
}

// firstLine is the first line with something on it, shortened.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return shorten(line)
		}
	}
	return ""
}

func shorten(s string) string {
	if len(s) <= maxPrompt {
		return s
	}
	const mark = "…"
	n := maxPrompt - len(mark)
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

// readTail reads how far the log went: from its end back to the first line that
// tells.
func (i *Info) readTail(b []byte) {
	inRun := false // the last run has no line that tells
	for end := bytes.LastIndexByte(b, '\n'); end >= 0; {
		start := bytes.LastIndexByte(b[:end], '\n')
		var l resultLine
		if json.Unmarshal(b[start+1:end], &l) == nil {
			switch l.Type {
			case typeInit:
				inRun = true
			case typeStep, typeResult:
				i.Steps = l.Total
				if !inRun {
					i.Stop = l.Stop
				}
				return
			}
		}
		end = start
	}
}
