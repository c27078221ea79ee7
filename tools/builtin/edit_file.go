package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/localagent/localagent/tools"
)

//go:embed edit_file.md
var editFileDoc string

type editArgs struct {
	Path string  `json:"path" example:"notes.txt"`
	Old  string  `json:"old" jsonschema:"the text to replace, exactly as in the file" example:"colour"`
	New  *string `json:"new" jsonschema:"what stands there afterwards" example:"color"`
	All  bool    `json:"all,omitempty" jsonschema:"replace every occurrence"`
}

func (f *folder) editFile(_ context.Context, _ tools.Call, in editArgs) (any, error) {
	ch, did, err := f.editing(in)
	if err != nil {
		return nil, err
	}
	if err := f.put(ch); err != nil {
		return nil, err
	}
	return tools.Result{Text: "edited " + ch.name + ": " + did, Diff: ch.diff()}, nil
}

func (f *folder) previewEdit(_ context.Context, _ tools.Call, in editArgs) (string, error) {
	ch, did, err := f.editing(in)
	if err != nil {
		return "", err
	}
	return did + "\n" + ch.preview(), nil
}

// editing is the change that a call asks for, and what it does in words.
func (f *folder) editing(in editArgs) (ch *change, did string, err error) {
	switch {
	case in.New == nil:
		return nil, "", errors.New(`new is missing, so nothing was changed; to delete the text give ""`)
	case in.Old == "":
		return nil, "", errors.New("old is empty; give the text to replace, or use write_file for the whole file")
	case in.Old == *in.New:
		return nil, "", errors.New("old and new are equal; there is nothing to change")
	}
	if ch, err = f.target(in.Path); err != nil {
		return nil, "", err
	}
	if !ch.exists() {
		return nil, "", f.missing(ch.path)
	}
	if f.hides("edit_file", in.Path, ch.path) {
		return nil, "", fmt.Errorf("%s is not edited: a rule keeps it from being read, and errors show what is in it", ch.name)
	}
	r, err := replace(ch.before, in.Old, *in.New, in.All)
	if err != nil {
		return nil, "", fmt.Errorf("%s was not changed: %w", ch.name, err)
	}
	ch.after = r.text
	if ch.same() {
		return nil, "", fmt.Errorf("%s has this text already; it was not touched", ch.name)
	}
	return ch, r.did, ch.checkText()
}

// A replacement is a text with a piece of it replaced.
type replacement struct {
	text string
	did  string // for the model
}

// replace tries the text as given, with the file's line breaks, then line by
// line without regard to white space and typography.
func replace(text, old, new string, all bool) (replacement, error) {
	for _, v := range spelledLike(text, old, new) {
		if at := occurrences(text, v.old); len(at) > 0 {
			return replaceExact(text, v, at, all)
		}
	}
	r, ok, err := replaceLines(text, old, new)
	if ok || err != nil {
		return r, err
	}
	return r, notFound(text, old)
}

// A wording is what to replace by what.
type wording struct{ old, new string }

// spelledLike returns the wordings to try: with CRLF line breaks too if the
// file has any, first if most of its breaks are.
func spelledLike(text, old, new string) []wording {
	plain := wording{old, new}
	n := strings.Count(text, "\r\n")
	if n == 0 || strings.Contains(old+new, "\r") {
		return []wording{plain}
	}
	crlf := wording{toCRLF(old), toCRLF(new)}
	if 2*n > strings.Count(text, "\n") {
		return []wording{crlf, plain}
	}
	return []wording{plain, crlf}
}

const maxPlaces = 10 // named in an error

// occurrences finds the first ones, overlapping ones too: they make a text
// ambiguous.
func occurrences(text, old string) []int {
	var at []int
	for from := 0; len(at) <= maxPlaces; {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

func replaceExact(text string, v wording, at []int, all bool) (replacement, error) {
	if all {
		n := strings.Count(text, v.old)
		return replacement{strings.ReplaceAll(text, v.old, v.new), "replaced " + count(n, "occurrence")}, nil
	}
	if len(at) > 1 {
		return replacement{}, fmt.Errorf("old stands there %d times, at %s; add lines around it until there is one, or set all",
			max(len(at), strings.Count(text, v.old)), linesAt(text, at))
	}
	end := at[0] + len(v.old)
	first := lineOf(text, at[0])
	last := lineOf(text, max(at[0], at[0]+len(strings.TrimSuffix(v.old, "\n"))))
	return replacement{text[:at[0]] + v.new + text[end:], "replaced text in " + lineRange(first, last)}, nil
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

func lineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

func linesAt(text string, at []int) string {
	var lines []int
	for _, a := range at {
		lines = append(lines, lineOf(text, a))
	}
	return lineList(lines)
}

func lineList(lines []int) string {
	var b strings.Builder
	for i, n := range lines[:min(len(lines), maxPlaces)] {
		b.WriteString(pick(i == 0, "lines ", ", ") + strconv.Itoa(n))
	}
	return b.String() + pick(len(lines) > maxPlaces, ", …", "")
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
