package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// A folder is where the file tools work. Paths inside it are relative, with
// slashes. The root follows no link out of it; what is checked here is checked
// for a clear answer, and once more by the root when it counts.
type folder struct {
	root *os.Root
	abs  []string // its absolute names, with slashes
	hide func(tool, start string) func(path string) bool
}

func newFolder(o Options) *folder {
	f := &folder{root: o.Root, hide: o.Hide}
	if f.root == nil {
		return f
	}
	if abs, err := filepath.Abs(f.root.Name()); err == nil {
		f.abs = append(f.abs, filepath.ToSlash(abs))
		if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
			f.abs = append(f.abs, filepath.ToSlash(real))
		}
	}
	return f
}

const maxPath = 4096 // bytes

var errNoFolder = errors.New("there is no working folder; files cannot be reached")

// clean turns the path of a call into one inside the folder. An absolute path
// below the folder is taken for the relative one.
func (f *folder) clean(p string) (string, error) {
	switch {
	case f.root == nil:
		return "", errNoFolder
	case strings.TrimSpace(p) == "":
		return "", errors.New(`the path is empty; give one relative to the working folder, such as "notes.txt"`)
	case len(p) > maxPath:
		return "", fmt.Errorf("the path has %s; at most %s are looked at", bytesOf(int64(len(p))), bytesOf(maxPath))
	case strings.ContainsFunc(p, unicode.IsControl):
		return "", fmt.Errorf(`the path %.200q has a control character; did you mean doubled backslashes ("a\\b"), or / instead?`, p)
	}
	inside := filepath.ToSlash(p)
	if path.IsAbs(inside) || filepath.IsAbs(p) {
		rel, ok := f.below(path.Clean(inside))
		if !ok {
			return "", f.outside(p)
		}
		inside = rel
	}
	inside = path.Clean(inside)
	if inside == ".." || strings.HasPrefix(inside, "../") {
		return "", f.outside(p)
	}
	return inside, nil
}

func (f *folder) below(abs string) (string, bool) {
	for _, base := range f.abs {
		if rel, ok := strings.CutPrefix(abs, strings.TrimSuffix(base, "/")); ok && (rel == "" || rel[0] == '/') {
			return "." + rel, true
		}
	}
	return "", false
}

// outside refuses a path. A leading slash is often meant for the folder.
func (f *folder) outside(p string) error {
	text := fmt.Sprintf("%.200q is outside the working folder; paths are relative to it", p)
	meant := strings.TrimLeft(path.Clean("/"+filepath.ToSlash(p)), "/")
	if _, err := f.root.Lstat(meant); err == nil && meant != "" {
		text += fmt.Sprintf("; did you mean %q?", meant)
	}
	return errors.New(text)
}

// hidden returns what a walk leaves out, or nil.
func (f *folder) hidden(tool, start string) func(path string) bool {
	if f.hide == nil {
		return nil
	}
	return f.hide(tool, start)
}

// hides reports whether a walk from the top would leave out a file or a folder
// around it, by the path that a call gives or by the one without links.
func (f *folder) hides(tool, given, real string) bool {
	hidden := f.hidden(tool, ".")
	if hidden == nil {
		return false
	}
	named, err := f.clean(given)
	if err != nil {
		return true // not reached: real is what came of it
	}
	for _, p := range []string{named, real} {
		for ; p != "."; p = path.Dir(p) {
			if hidden(p) {
				return true
			}
		}
	}
	return false
}

// open opens a regular file for reading.
func (f *folder) open(p string) (*os.File, fs.FileInfo, error) {
	file, info, err := f.openRegular(p)
	if err != nil {
		return nil, nil, f.explain(p, err)
	}
	return file, info, nil
}

// openNamed opens the file that a call names, and returns its name for readers.
func (f *folder) openNamed(p string) (*os.File, fs.FileInfo, string, error) {
	p, err := f.clean(p)
	if err != nil {
		return nil, nil, "", err
	}
	file, info, err := f.open(p)
	return file, info, shown(p), err
}

// openRegular looks at what the path leads to before it opens it, so that a
// device is not opened at all.
func (f *folder) openRegular(p string) (*os.File, fs.FileInfo, error) {
	info, err := f.root.Stat(p)
	if err == nil {
		err = regular(p, info)
	}
	if err != nil {
		return nil, nil, err
	}
	return f.openNow(p)
}

// openNow never waits. It looks at what it has opened, when that can no longer
// change.
func (f *folder) openNow(p string) (*os.File, fs.FileInfo, error) {
	file, err := f.root.OpenFile(p, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = regular(p, info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// A kindError is a path that leads to something else than was asked for.
type kindError string

func (e kindError) Error() string { return string(e) }

func regular(p string, info fs.FileInfo) error {
	what := "not a regular file"
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		what = "a folder, not a file; list_files shows what is in it"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe, not a file"
	case m&fs.ModeSocket != 0:
		what = "a socket, not a file"
	case m&fs.ModeDevice != 0:
		what = "a device, not a file"
	}
	return kindError(shown(p) + " is " + what)
}

const maxLinks = 40

// resolve follows the links of a path one by one and returns the path without
// any; what does not exist yet stays as it is. It is needed where a link must
// not be replaced by a file, and to say what is wrong with one.
func (f *folder) resolve(p string) (string, error) {
	var done []string
	todo := strings.Split(p, "/")
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch {
		case name == "" || name == ".":
			continue
		case name == ".." && len(done) == 0:
			return "", fmt.Errorf("%s leads outside the working folder through a link, which is not followed", shown(p))
		case name == "..":
			done = done[:len(done)-1]
			continue
		}
		at := path.Join(path.Join(done...), name)
		target, err := f.linkAt(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path.Join(at, path.Join(todo...)), nil
		case err != nil:
			return "", err
		case target == "":
			done = append(done, name)
		case links == maxLinks:
			return "", fmt.Errorf("%s goes through too many links", shown(p))
		default:
			links++
			todo = append(strings.Split(target, "/"), todo...)
		}
	}
	return path.Join(".", path.Join(done...)), nil
}

// linkAt returns where the link at p leads; nothing, if it is none.
func (f *folder) linkAt(p string) (string, error) {
	info, err := f.root.Lstat(p)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", plain(p, err)
	}
	target, err := f.root.Readlink(p)
	if err != nil {
		return "", plain(p, err)
	}
	if filepath.IsAbs(target) {
		return "", fmt.Errorf("%s is an absolute link, which is not followed", shown(p))
	}
	return filepath.ToSlash(target), nil
}

// explain says for the model why a path could not be used.
func (f *folder) explain(p string, err error) error {
	var kind kindError
	if errors.As(err, &kind) {
		return err
	}
	real, resolveErr := f.resolve(p)
	switch {
	case resolveErr != nil:
		return resolveErr
	case errors.Is(err, fs.ErrNotExist) && real != p:
		return fmt.Errorf("%s leads through a link to %s, which does not exist", shown(p), shown(real))
	case errors.Is(err, fs.ErrNotExist):
		return f.missing(p)
	}
	return plain(p, err)
}

// plain is an error of the system without the names of its calls, and nil for
// none.
func plain(p string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("%s: %w", shown(p), err)
}
