package permission

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/localagent/localagent/tools"
)

// An act is one thing that a call does: a command it runs, a file it reads or
// changes.
type act struct {
	class tools.Class
	text  string // for people

	// why is the reason that a rule with a pattern cannot allow this.
	why string
	// unknown says that it may be any command.
	unknown bool
	// mention is set when the act is not one that needs leave of its own: deny
	// and ask rules look at it too. maybe: it is not sure that it is done at all.
	mention level

	words []word // of a command

	raw   string   // the path as written, until it has its place
	dir   string   // of the policy
	names []string // of the file, cleaned
	shape shape    // what the path can become, when it is not fixed
}

// surely is how sure it is that the act is done.
func (a *act) surely() level {
	if a.mention == maybe {
		return maybe
	}
	return yes
}

// reason says why a person is asked.
func (a *act) reason() string {
	if a.why != "" {
		return a.text + ": " + a.why
	}
	if i := slices.IndexFunc(a.words, func(w word) bool { return w.danger != "" }); i >= 0 {
		return "no rule allows " + a.text + ": " + shorten(a.words[i].text) + " " + a.words[i].danger
	}
	return "no rule allows " + a.text
}

// A request is a call, taken apart.
type request struct {
	tool    string
	class   tools.Class
	command string // of a call that has one, trimmed
	text    string // for people
	acts    []act
}

// newRequest takes a call apart. A class exec tool with a command, as text or
// as a list of words, is judged by it, any other by its name.
func (p *Policy) newRequest(t *tools.Tool, args json.RawMessage) *request {
	q := &request{tool: t.Name, class: t.Class, text: t.Name}
	var fields map[string]any
	if err := json.Unmarshal(args, &fields); err != nil {
		q.acts = []act{{class: q.class, text: q.text, why: "its arguments are not an object", unknown: q.class == tools.Exec}}
		return q
	}
	if q.class == tools.Exec {
		q.readCommand(fields, p)
		return q
	}
	for _, arg := range paths(fields) {
		a := act{class: q.class, text: q.text + " " + shorten(arg.path), mention: arg.mention}
		a.place(p.Dir, arg.path)
		q.acts = append(q.acts, a)
	}
	if !slices.ContainsFunc(q.acts, func(a act) bool { return a.mention == no }) {
		a := act{class: q.class, text: q.text}
		if q.class == tools.Read {
			a.place(p.Dir, ".")
		}
		q.acts = append(q.acts, a)
	}
	return q
}

func (q *request) readCommand(fields map[string]any, p *Policy) {
	s := &shell{policy: p, folders: folders(fields)}
	switch c := fields["command"].(type) {
	case string:
		q.command = strings.TrimSpace(c)
		q.text = shorten(q.command)
		s.line(c)
		q.acts = s.acts
	case []any:
		s.argv(c)
		q.text = shorten(s.acts[0].text)
		q.acts = s.acts
	default:
		q.acts = []act{{class: tools.Exec, text: q.text, why: "it is no command line"}}
	}
}

// folderNames are the arguments that say where a command starts.
var folderNames = []string{"cwd", "dir", "directory", "folder", "workdir", "workingdir", "workingdirectory"}

// folders is where a command starts; "" is the working folder.
func folders(fields map[string]any) []string {
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if f, ok := fields[k].(string); ok && slices.Contains(folderNames, plainKey(k)) {
			return []string{f}
		}
	}
	return []string{""}
}

// argv reads a command that is given as its words.
func (s *shell) argv(list []any) {
	words := make([]word, len(list))
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			words = nil
			break
		}
		words[i] = fixedWord(text)
	}
	if len(words) == 0 {
		s.hidden("command", "it is not a list of words")
		return
	}
	s.command(words, shorten(joinWords(words)))
	s.finish()
}

func joinWords(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.said()
	}
	return strings.Join(texts, " ")
}

// A pathArg is an argument that names a file.
type pathArg struct {
	path    string
	mention level
}

// pathNames are the arguments that name a file, or end in such a name, in lower
// case and without - and _.
var pathNames = []string{
	"path", "paths", "file", "files", "filename", "filenames",
	"dir", "dirs", "directory", "directories", "folder", "folders",
}

// otherPathNames are so only as they stand.
var otherPathNames = []string{
	"cwd", "root", "source", "src", "destination", "dest", "dst", "target", "from", "to", "output",
}

// paths are the arguments that name files, at any depth.
func paths(fields map[string]any) []pathArg {
	type item struct {
		key string
		val any
	}
	var found []pathArg
	for todo := []item{{"", fields}}; len(todo) > 0; todo = todo[1:] {
		switch v := todo[0].val.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				todo = append(todo, item{k, v[k]})
			}
		case []any:
			for _, e := range v {
				todo = append(todo, item{todo[0].key, e})
			}
		case string:
			if p, ok := asPath(todo[0].key, v); ok {
				found = append(found, p)
			}
		}
	}
	return found
}

func plainKey(k string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(k))
}

func asPath(key, val string) (pathArg, bool) {
	key = plainKey(key)
	isPath := slices.Contains(otherPathNames, key) || slices.ContainsFunc(pathNames, func(n string) bool {
		return strings.HasSuffix(key, n)
	})
	switch {
	case isPath:
		return pathArg{val, no}, true
	case (key == "glob" || key == "include") && !strings.ContainsAny(val, "*?[{"):
		return pathArg{val, yes}, true // a filter that lets one file through
	}
	return pathArg{}, false
}
