package builtin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/localagent/localagent/tools/internal/cut"
)

// A change is a file with its text before and after.
type change struct {
	path   string      // without links
	name   string      // for readers
	old    fs.FileInfo // nil: there is no file yet
	before string
	after  string
}

// checkText refuses text that would make the file a binary one, which no tool
// reads.
func (c *change) checkText() error {
	if i := strings.IndexByte(c.after, 0); i >= 0 {
		return fmt.Errorf("%s was not written: the text holds the character U+0000 at byte %d; only text is written, a program can write other bytes", c.name, i)
	}
	return nil
}

func (c *change) exists() bool { return c.old != nil }
func (c *change) same() bool   { return c.exists() && c.before == c.after }

// wrote says what was done.
func (c *change) wrote() string {
	size := fmt.Sprintf("%s, %s", count(lineCount(c.after), "line"), bytesOf(int64(len(c.after))))
	switch {
	case !c.exists() && c.after == "":
		return "created " + c.name + ", empty"
	case !c.exists():
		return fmt.Sprintf("created %s: %s", c.name, size)
	case c.after == "":
		return fmt.Sprintf("emptied %s; it had %s", c.name, bytesOf(int64(len(c.before))))
	}
	return fmt.Sprintf("wrote %s: %s; before: %s, %s", c.name, size,
		count(lineCount(c.before), "line"), bytesOf(int64(len(c.before))))
}

// preview is what a person decides by.
func (c *change) preview() string {
	if c.same() {
		return c.name + " has this content already"
	}
	return c.diff()
}

const (
	maxDiffed = 1 << 20  // bytes of a text that is compared
	maxDiff   = 64 << 10 // bytes of a diff
)

// diff is a unified diff for people.
func (c *change) diff() string {
	if len(c.before) > maxDiffed || len(c.after) > maxDiffed {
		return fmt.Sprintf("%s: %s become %s; too large for a diff", c.name, bytesOf(int64(len(c.before))), bytesOf(int64(len(c.after))))
	}
	from := c.path
	if !c.exists() {
		from = os.DevNull
	}
	d := cut.Valid(udiff.Unified(from, c.path, c.before, c.after))
	if len(d) > maxDiff {
		end := cut.End(d, maxDiff)
		d = fmt.Sprintf("%s\n[%s of the diff left out]\n", d[:end], bytesOf(int64(len(d)-end)))
	}
	return d
}

// readAll reads a regular file that was checked to be small enough.
func (f *folder) readAll(p string) ([]byte, fs.FileInfo, error) {
	file, info, err := f.open(p)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxOld+1))
	if err == nil && len(text) > maxOld {
		err = errors.New("the file is growing")
	}
	if err != nil {
		return nil, nil, plain(p, err)
	}
	return text, info, nil
}

// put writes the new text beside the file and renames it over the old one. A
// file that somebody else changed since it was read is left alone.
func (f *folder) put(c *change) error {
	dir := path.Dir(c.path)
	if err := f.root.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("the folder cannot be made: %w", plain(dir, err))
	}
	temp := path.Join(dir, ".localagent-"+rand.Text()[:12]+".tmp")
	err := f.writeTemp(temp, c)
	if err == nil {
		err = f.untouched(c)
	}
	if err == nil {
		err = f.root.Rename(temp, c.path)
	}
	if err != nil {
		f.root.Remove(temp)
		return plain(c.path, err)
	}
	return nil
}

// writeTemp writes the new file, with the owner and mode of the old one.
func (f *folder) writeTemp(temp string, c *change) error {
	mode := fs.FileMode(0o666)
	if c.exists() {
		mode = 0o600 // until it has the right one
	}
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, c.after)
	if c.exists() {
		keepOwner(file, c.old)
		err = errors.Join(err, file.Chmod(c.old.Mode()))
	}
	return errors.Join(err, file.Sync(), file.Close())
}

var (
	errChanged  = errors.New("was changed by somebody else meanwhile; read it again")
	errAppeared = errors.New("was made by somebody else meanwhile; read it first")
)

func (f *folder) untouched(c *change) error {
	now, err := f.root.Lstat(c.path)
	switch {
	case !c.exists() && errors.Is(err, fs.ErrNotExist):
		return nil
	case !c.exists():
		return errAppeared
	case err != nil || !os.SameFile(now, c.old) || now.Size() != c.old.Size() || !now.ModTime().Equal(c.old.ModTime()):
		return errChanged
	}
	return nil
}
