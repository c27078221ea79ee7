package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"

	"github.com/localagent/localagent/tools"
)

//go:embed list_files.md
var listFilesDoc string

type listArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"folder to list; without it the working folder" example:"src"`
	Glob  string `json:"glob,omitempty" jsonschema:"only what matches; a pattern without / is compared with the last name" example:"*.txt"`
	Depth int    `json:"depth,omitempty" jsonschema:"levels of folders; without it 3, with glob all" min:"1"`
}

const defaultDepth = 3

func (f *folder) listFiles(ctx context.Context, c tools.Call, in listArgs) (any, error) {
	dir, err := f.cleanDir(in.Path)
	if err != nil {
		return nil, err
	}
	g, err := newGlob(in.Glob)
	if err != nil {
		return nil, err
	}
	depth := cmp.Or(in.Depth, defaultDepth)
	if in.Depth == 0 && g != "" {
		depth = maxDepth
	}
	w := f.walker("list_files", depth)
	w.asked = in.Depth > 0 && in.Depth <= maxDepth
	p := newPage(c)
	shown, more := 0, 0
	for n := range w.nodes(ctx, dir) {
		switch {
		case !g.match(dir, n.path):
		case p.cut || !p.add(n.shown()):
			more++
		default:
			shown++
		}
	}
	notes := w.notes()
	switch {
	case more > 0:
		notes = append(notes, fmt.Sprintf("%d of %s shown; narrow it with path, glob or depth", shown, count(shown+more, "entry")))
	case shown == 0 && g != "":
		notes = append(notes, fmt.Sprintf("nothing in %s matches %q; %s looked at", folderName(dir), in.Glob, count(w.seen, "entry")))
	case shown == 0 && w.unread == 0:
		notes = append(notes, folderName(dir)+" is empty")
	}
	return p.result(notes...), nil
}

// cleanDir is clean for a folder; without a path it is the working folder.
func (f *folder) cleanDir(p string) (string, error) {
	dir, err := f.clean(cmp.Or(p, "."))
	if err != nil {
		return "", err
	}
	info, err := f.root.Stat(dir)
	switch {
	case err != nil:
		return "", f.explain(dir, err)
	case info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a file, not a folder", shown(dir))
	case !info.IsDir():
		return "", regular(dir, info)
	}
	return dir, nil
}
