package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxDepth  = 64      // folders inside each other
	maxWalk   = 200_000 // entries of one walk
	maxFolder = 20_000  // entries read of one folder
)

// A node is an entry that a walk has come to.
type node struct {
	path  string
	depth int // 1: in the folder where the walk began
	mode  fs.FileMode
	link  string // where a link leads
}

// shown is the line of a listing.
func (n node) shown() string {
	switch {
	case n.mode.IsDir():
		return shown(n.path) + "/"
	case n.link != "":
		return shown(n.path) + " -> " + shown(n.link)
	}
	return shown(n.path)
}

// A walker goes through a folder in the order of names, each folder before
// what is in it. It follows no links and leaves out .git, node_modules and what
// .gitignore files say, unless it begins there, and what is hidden from the
// tool. It counts what it left out, apart from .git.
type walker struct {
	f     *folder
	tool  string // that walks; "": none, for an error text
	depth int    // how deep it goes
	asked bool   // for no more than this depth

	seen    int
	ignored int
	hidden  int
	unread  int    // folders that could not be read
	closed  int    // folders that lie as deep as it goes
	large   string // a folder with more entries than are read
	full    bool   // ended at maxWalk
}

func (f *folder) walker(tool string, depth int) *walker {
	return &walker{f: f, tool: tool, depth: min(depth, maxDepth)}
}

// An openFolder is a folder on the way down.
type openFolder struct {
	dir     string
	entries []fs.DirEntry // still to come
	ignore  ignoreRules
}

func (w *walker) nodes(ctx context.Context, start string) iter.Seq[node] {
	return func(yield func(node) bool) {
		hides := w.f.hidden(w.tool, start)
		way := []openFolder{w.enter(start, w.f.rulesAbove(start))}
		for len(way) > 0 && ctx.Err() == nil {
			l := &way[len(way)-1]
			if len(l.entries) == 0 {
				way = way[:len(way)-1]
				continue
			}
			e := l.entries[0]
			l.entries = l.entries[1:]
			n := node{path: path.Join(l.dir, e.Name()), depth: len(way), mode: e.Type()}
			if e.Name() == ".git" {
				continue
			}
			if e.Name() == "node_modules" || l.ignore.match(n.path, n.mode.IsDir()) {
				w.ignored++
				continue
			}
			if hides != nil && hides(n.path) {
				w.hidden++
				continue
			}
			if w.seen++; w.seen > maxWalk {
				w.full = true
				return
			}
			if n.mode&fs.ModeSymlink != 0 {
				n.link, _ = w.f.root.Readlink(n.path)
			}
			if !yield(n) {
				return
			}
			switch {
			case !n.mode.IsDir():
			case len(way) < w.depth:
				way = append(way, w.enter(n.path, l.ignore))
			default:
				w.closed++
			}
		}
	}
}

// enter reads a folder. What cannot be read is counted and empty.
func (w *walker) enter(dir string, above ignoreRules) openFolder {
	l := openFolder{dir: dir, ignore: above}
	d, err := w.f.root.OpenFile(dir, os.O_RDONLY|noWait, 0)
	if err != nil {
		w.unread++
		return l
	}
	defer d.Close()
	l.entries, err = d.ReadDir(maxFolder + 1)
	if err != nil && len(l.entries) == 0 && !errors.Is(err, io.EOF) {
		w.unread++
	}
	if len(l.entries) > maxFolder {
		l.entries = l.entries[:maxFolder]
		w.large = dir
	}
	slices.SortFunc(l.entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	if slices.ContainsFunc(l.entries, func(e fs.DirEntry) bool { return e.Name() == ignoreFile }) {
		l.ignore = append(above[:len(above):len(above)], w.f.rulesIn(dir)...)
	}
	return l
}

// notes say what the walk left out.
func (w *walker) notes() []string {
	var ns []string
	if w.ignored > 0 {
		ns = append(ns, fmt.Sprintf("left out: %s (node_modules, .gitignore); name it in path to see it", count(w.ignored, "entry")))
	}
	if w.hidden > 0 {
		ns = append(ns, "left out: "+count(w.hidden, "entry")+" that a rule keeps from being read")
	}
	if w.unread > 0 {
		ns = append(ns, count(w.unread, "folder")+" could not be read")
	}
	if w.closed > 0 && !w.asked {
		cure := "name one in path"
		if w.depth < maxDepth {
			cure += ", or set depth"
		}
		ns = append(ns, fmt.Sprintf("not looked into: %s at level %d; %s", count(w.closed, "folder"), w.depth, cure))
	}
	if w.large != "" {
		ns = append(ns, fmt.Sprintf("%s has more than %s; the rest of it was not looked at", folderName(w.large), count(maxFolder, "entry")))
	}
	if w.full {
		ns = append(ns, fmt.Sprintf("stopped after %s; narrow it with path", count(maxWalk, "entry")))
	}
	return ns
}

// A glob picks paths. Without a slash it is matched against the last name.
type glob string

// maxBraces is how many lists of alternatives a glob may have: each doubles the
// time of a comparison.
const maxBraces = 8

func newGlob(pattern string) (glob, error) {
	g := strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	switch {
	case strings.Count(g, "{") > maxBraces:
		return "", fmt.Errorf("%.100q has more than %d lists in braces; use fewer", pattern, maxBraces)
	case !doublestar.ValidatePattern(g):
		return "", fmt.Errorf(`%.100q is not a glob; write one such as "*.txt" or "src/**/*.go"`, pattern)
	}
	return glob(g), nil
}

// match compares with the path and with the path below the start of the walk.
func (g glob) match(start, p string) bool {
	switch {
	case g == "":
		return true
	case !strings.Contains(string(g), "/"):
		return doublestar.MatchUnvalidated(string(g), path.Base(p))
	}
	below := strings.TrimPrefix(p, start+"/")
	return doublestar.MatchUnvalidated(string(g), p) || doublestar.MatchUnvalidated(string(g), below)
}
