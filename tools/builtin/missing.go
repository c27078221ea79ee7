package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hbollon/go-edlib"
)

const (
	maxSearched  = 5000 // entries looked at for the right name
	maxSuggested = 3
	maxNamed     = 12 // names shown of a folder that has no close one
)

// missing says that there is no such file, and what there is instead.
func (f *folder) missing(p string) error {
	text := fmt.Sprintf("there is no %s", shown(p))
	if strings.ContainsAny(p, "*?") {
		return fmt.Errorf("%s; a path is no pattern: give that to list_files or search_text as glob", text)
	}
	if close := f.closest(p); len(close) > 0 {
		return fmt.Errorf("%s; did you mean %s?", text, strings.Join(close, " or "))
	}
	dir := f.nearest(p)
	var names []string
	for n := range f.walker("", 1).nodes(context.Background(), dir) {
		names = append(names, n.shown())
	}
	switch {
	case len(names) == 0:
		return fmt.Errorf("%s; there is nothing in %s", text, folderName(dir))
	case len(names) > maxNamed:
		names = append(names[:maxNamed:maxNamed], fmt.Sprintf("and %d more", len(names)-maxNamed))
	}
	return fmt.Errorf("%s; in %s there is: %s", text, folderName(dir), strings.Join(names, ", "))
}

func folderName(dir string) string {
	if dir == "." {
		return "the working folder"
	}
	return shown(dir)
}

// nearest returns the deepest folder of the path that exists.
func (f *folder) nearest(p string) string {
	dir := "."
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		next := path.Join(dir, part)
		if info, err := f.root.Stat(next); err != nil || !info.IsDir() {
			break
		}
		dir = next
	}
	return dir
}

// closest returns the files and folders that the path may have meant, best
// first: one with the same name elsewhere, or one whose path is nearly the same.
func (f *folder) closest(p string) []string {
	far := map[string]int{} // by line of a listing
	look := func(w *walker, dir string) {
		for n := range w.nodes(context.Background(), dir) {
			if d, ok := distance(p, n.path); ok {
				far[n.shown()] = d
			}
			if w.seen == maxSearched {
				break
			}
		}
	}
	look(f.walker("", maxDepth), ".")
	if dir := f.nearest(p); dir != "." {
		look(f.walker("", 1), dir) // the walk may not have come so far
	}
	best := slices.SortedFunc(maps.Keys(far), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b))
	})
	return best[:min(len(best), maxSuggested)]
}

const maxCompared = 128 // characters of a path; the time is quadratic

// distance tells how far a path is from the one that was asked for, and
// whether it is close at all.
func distance(asked, path_ string) (int, bool) {
	a, b := folded(asked), folded(path_)
	nameA, nameB := path.Base(a), path.Base(b)
	switch {
	case a == b:
		return 0, true
	case nameA == nameB:
		return 1, true
	case len(b) > maxCompared || len(a) > maxCompared:
		return 0, false
	case stem(nameA) == stem(nameB) && path.Dir(a) == path.Dir(b):
		return 2, true // another extension
	}
	edits := edlib.OSADamerauLevenshteinDistance(nameA, nameB)
	if edits <= max(1, len(nameA)/4) && 2*edits < min(len(nameA), len(nameB)) {
		if path.Dir(a) != path.Dir(b) {
			edits++
		}
		return 2 + edits, true
	}
	return 0, false
}

// folded makes equal what people and models mix up: case, the two slashes,
// spaces and hyphens.
func folded(p string) string {
	return strings.NewReplacer(`\`, "/", " ", "_", "-", "_").Replace(strings.ToLower(p))
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }
