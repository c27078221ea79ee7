package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"github.com/localagent/localagent/tools"
)

//go:embed write_file.md
var writeFileDoc string

type writeArgs struct {
	Path    string  `json:"path" example:"notes.txt"`
	Content *string `json:"content" jsonschema:"the whole new text" example:"first line\nsecond line\n"`
}

func (f *folder) writeFile(_ context.Context, _ tools.Call, in writeArgs) (any, error) {
	ch, err := f.writing(in)
	if err != nil {
		return nil, err
	}
	if ch.same() {
		return ch.name + " has this content already; it was not touched", nil
	}
	if err := f.put(ch); err != nil {
		return nil, err
	}
	return tools.Result{Text: ch.wrote(), Diff: ch.diff()}, nil
}

func (f *folder) previewWrite(_ context.Context, _ tools.Call, in writeArgs) (string, error) {
	ch, err := f.writing(in)
	if err != nil {
		return "", err
	}
	return ch.preview(), nil
}

// writing is the change that a call asks for.
func (f *folder) writing(in writeArgs) (*change, error) {
	if in.Content == nil {
		return nil, errors.New(`content is missing, so nothing was written; to empty the file give ""`)
	}
	if strings.HasSuffix(in.Path, "/") {
		return nil, fmt.Errorf("%s is the name of a folder", shown(in.Path))
	}
	ch, err := f.target(in.Path)
	if err != nil {
		return nil, err
	}
	ch.after = *in.Content
	if ch.exists() && isCRLF(ch.before) && !strings.Contains(ch.after, "\r") {
		ch.after = toCRLF(ch.after)
	}
	return ch, ch.checkText()
}

// target reads the file that a call wants to change, if there is one.
func (f *folder) target(p string) (*change, error) {
	p, err := f.clean(p)
	if err != nil {
		return nil, err
	}
	real, err := f.resolve(p)
	if err != nil {
		return nil, err
	}
	if inGit(real) {
		return nil, fmt.Errorf("%s is not written: what is in .git is left to git", shown(real))
	}
	ch := &change{path: real, name: shown(p)}
	info, err := f.root.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ch, nil
	case err != nil:
		return nil, f.explain(p, err)
	}
	return ch, f.readOld(ch, info)
}

const maxOld = 16 << 20 // bytes of a file that can be changed

func (f *folder) readOld(ch *change, info fs.FileInfo) error {
	switch err := regular(ch.path, info); {
	case err != nil:
		return err
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only", ch.name)
	case info.Size() > maxOld:
		return fmt.Errorf("%s has %s; only files up to %s are changed", ch.name, bytesOf(info.Size()), bytesOf(maxOld))
	}
	text, info, err := f.readAll(ch.path)
	if err != nil {
		return err
	}
	if isBinary(text[:min(len(text), sniffed)]) {
		return fmt.Errorf("%s is a binary file (%s); only text is written", ch.name, bytesOf(info.Size()))
	}
	ch.old, ch.before = info, string(text)
	return nil
}

// inGit reports whether a path is in git's own folder: a file there can make
// git run programs. Some file systems do not tell case apart, or pass over
// characters that are not seen, and Windows has more names for it.
func inGit(p string) bool {
	for part := range strings.SplitSeq(strings.Map(seen, p), "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(part, ". ")
		if strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1") {
			return true
		}
	}
	return false
}

// seen drops a character that only joins or hides others.
func seen(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// isCRLF reports whether every line break of a text is one.
func isCRLF(text string) bool {
	n := strings.Count(text, "\r\n")
	return n > 0 && n == strings.Count(text, "\n")
}

func toCRLF(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// lineCount counts a last line without a line break too.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
