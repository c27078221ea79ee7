package permission

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/localagent/localagent/tools"
	"mvdan.cc/sh/v3/syntax"
)

// A use is what a program does with the files among its words.
type use struct{ reads, writes level }

// uses says which programs surely read or write the files they are given, and
// which do not. Any other program may do both.
var uses = sync.OnceValue(func() map[string]use {
	m := map[string]use{}
	for u, names := range map[use]string{
		{no, no}:     "echo printf true false : test [ basename dirname which type",
		{yes, no}:    "cat head tail tac nl less more od xxd hexdump strings base64 wc sort cut paste comm diff cmp cksum md5sum sha1sum sha256sum cd pushd . source",
		{maybe, no}:  "ls stat file tree du find fd grep egrep fgrep rg awk jq git",
		{yes, yes}:   "cp mv ln install",
		{maybe, yes}: "rm rmdir unlink tee touch truncate shred mkdir mkfifo chmod chown dd",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = u
		}
	}
	return m
})

// gitWriters are the commands of git that change the files they are given.
var gitWriters = []string{"apply", "checkout", "clean", "mv", "reset", "restore", "rm", "stash", "switch"}

// maxPath is the longest path that is looked at as one.
const maxPath = 4096

// mentions notes the files that a command names. Only deny and ask rules look at
// them: a rule that keeps a file from being read keeps it from cat as well.
func (s *shell) mentions(words []word) {
	name := programOf(words)
	u, known := uses()[name]
	s.flows = s.flows || slices.Contains(readers, name)
	switch {
	case !known:
		u = use{maybe, maybe}
	case name == "printf" && len(words) > 1 && (words[1].mayBe("-v") || strings.HasPrefix(words[1].said(), "-v")):
		u = use{maybe, maybe} // it sets a variable
	case name == "echo" || name == "printf":
		s.prints(words[1:])
	}
	if slices.ContainsFunc(words, func(w word) bool { return w.danger != "" || name == "git" && w.is(gitWriters...) }) {
		u.writes = max(u.writes, maybe)
	}
	files := fileWords(name, words[1:])
	if name == "sed" {
		files = append(slices.Clip(files), sedFiles(files)...)
	}
	for _, w := range files {
		s.mention(w, tools.Read, u.reads)
		s.mention(w, tools.Write, u.writes)
	}
	if class, ok := walks(name, words[1:]); ok && s.watched(class) {
		s.walk(files, class)
	}
	if name == "find" {
		s.found(words[1:])
	}
	if slices.Contains(putters, name) && s.watched(tools.Write) {
		s.arrivals(name, words[1:])
	}
}

// held notes a text that a command may take the name of a file from: a variable,
// an element of a list, or a here-document.
func (s *shell) held(w *syntax.Word) {
	if w == nil {
		return
	}
	text := s.read(w)[0]
	s.mention(text, tools.Read, maybe)
	s.mention(text, tools.Write, maybe)
}

// heldKey notes the key of an element, which is a text like any other.
func (s *shell) heldKey(key syntax.ArithmExpr) {
	if w, ok := key.(*syntax.Word); ok {
		s.held(w)
	}
}

var sedFile = lazily(`[rRwW][ \t]*([^ \t\n;}][^\n;}]*)`)

// sedFiles are the words that sed scripts may name files by.
func sedFiles(args []word) (files []word) {
	for _, a := range args {
		for _, m := range sedFile().FindAllStringSubmatch(a.text, maxScripts) {
			files = append(files, fixedWord(m[1]))
		}
	}
	return files
}

// A walk is the options that make a program read, or write, all that is in a
// folder.
type walk struct {
	letters string
	long    []string
	always  bool
	writes  bool
}

var walkers = map[string]walk{
	"ack":   {always: true},
	"ag":    {always: true},
	"chgrp": changeWalk, "chmod": changeWalk, "chown": changeWalk,
	"cp":    {letters: "aRr", long: []string{"recursive", "archive"}},
	"diff":  {letters: "r", long: []string{"recursive"}},
	"egrep": grepWalk, "fgrep": grepWalk, "grep": grepWalk,
	"find":  {long: []string{"delete"}, writes: true},
	"rg":    {always: true},
	"rm":    {letters: "rR", long: []string{"recursive"}, writes: true},
	"rsync": {always: true},
	"scp":   {letters: "r"},
	"tar":   {letters: "cru", long: []string{"create", "append", "update"}},
	"zip":   {letters: "rR", long: []string{"recurse-paths", "recurse-patterns"}},
}

var grepWalk = walk{letters: "rRd", long: []string{"recursive", "dereference-recursive", "directories"}}

var changeWalk = walk{letters: "R", long: []string{"recursive"}, writes: true}

// walks says whether a program reads or writes all that is in the folders it is
// given.
func walks(name string, args []word) (class tools.Class, ok bool) {
	w := walkers[name]
	if class = tools.Read; w.writes {
		class = tools.Write
	}
	if name == "tar" && bundled(args, w.letters) {
		return class, true
	}
	return class, w.always || slices.ContainsFunc(args, func(a word) bool {
		return a.kind == fixed && danger{letters: w.letters, long: w.long}.option(a.text)
	})
}

const within = "what is in " // a folder, for people

// inside is the shape of what lies in the folder that a word names once the shell
// has expanded it.
func (w word) inside() shape {
	return append(slices.Clip(w.shape), shape(nil).text("/").add(anyText)...)
}

// walk notes what may lie in the folders that a program goes through; without
// any it is the working folder.
func (s *shell) walk(files []word, class tools.Class) {
	dirs := 0
	for _, w := range files {
		if w.option() && w.kind == fixed {
			continue
		}
		dirs++
		if w.kind != fixed {
			s.mention(word{text: within + w.text, kind: open, shape: w.inside()}, class, maybe)
		} else if !s.isFile(w.text) {
			s.mention(word{text: within + w.text, kind: open, shape: contents(w.text)}, class, maybe)
		}
	}
	if dirs == 0 {
		s.mention(word{text: within + "the working folder", kind: open, shape: contents(".")}, class, maybe)
	}
}

// found notes the files that find gives to the programs it starts: what is in the
// folders before its options, by the name it asks for.
func (s *shell) found(args []word) {
	starts := func(a word) bool { return a.mayBe("-exec", "-execdir", "-ok", "-okdir") }
	first := slices.IndexFunc(args, starts)
	if first < 0 {
		return
	}
	var u use
	for i, a := range args[first:] {
		if started := args[first+i+1:]; starts(a) && len(started) > 0 {
			v, known := uses()[programOf(started)]
			if !known {
				v = use{maybe, maybe}
			}
			u.reads, u.writes = max(u.reads, v.reads), max(u.writes, v.writes)
		}
	}
	tests := args[:first]
	dirs := tests[:indexOr(tests, func(a word) bool { return a.option() || a.is("!", "(") })]
	if len(dirs) == 0 {
		dirs = []word{fixedWord(".")}
	}
	name := soleName(tests)
	for _, d := range dirs {
		f := word{text: within + d.text, kind: open}
		switch {
		case d.kind != fixed:
			f.shape = d.inside()
		case name == "":
			f.shape = contents(d.text)
		default:
			f.shape = patternShape(path.Join(cleanPath(d.text), "**", name))
		}
		s.mention(f, tools.Read, min(u.reads, maybe))
		s.mention(f, tools.Write, min(u.writes, maybe))
	}
}

// soleName is the name that all that find finds has; "" for any.
func soleName(tests []word) string {
	if slices.ContainsFunc(tests, func(a word) bool { return a.kind != fixed || a.is("-o", "-or", ",", "!", "-not", "(") }) {
		return ""
	}
	i := slices.IndexFunc(tests, func(a word) bool { return a.is("-name", "-iname") })
	if i < 0 || i+1 == len(tests) {
		return ""
	}
	return tests[i+1].text
}

// indexOr is the index of the first word that f holds of, else their number.
func indexOr(words []word, f func(word) bool) int {
	if i := slices.IndexFunc(words, f); i >= 0 {
		return i
	}
	return len(words)
}

// isFile says whether a path, taken from the working folder, surely is a file
// and no folder.
func (s *shell) isFile(p string) bool {
	if s.policy.Dir == "" || s.moved || strings.HasPrefix(p, "~") {
		return false
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(s.policy.Dir, p)
	}
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular()
}

// contents is the shape of what lies in a folder.
func contents(dir string) shape {
	if dir = cleanPath(dir); dir == "." {
		return shape(nil).add(oneChar, anyText)
	}
	return shape(nil).text(strings.TrimSuffix(dir, "/") + "/").add(anyText)
}

// fileWords are the words that may name files: for grep, not what it looks for.
func fileWords(name string, args []word) []word {
	if !slices.Contains([]string{"grep", "egrep", "fgrep", "rg"}, name) {
		return args
	}
	for i, a := range args {
		if a.option() && (a.kind != fixed || strings.ContainsAny(a.text, "ef") && !strings.HasPrefix(a.text, "--ex")) {
			return args // it may be given by an option
		}
		if !a.option() {
			return slices.Concat(args[:i], args[i+1:])
		}
	}
	return args
}

// mention notes that a word may name a file, or hold the name of one, if there is
// a rule about files to hold against it.
func (s *shell) mention(w word, class tools.Class, sure level) {
	switch {
	case sure == no || !s.watched(class):
		return
	case w.inBash != "":
		s.mention(fixedWord(w.inBash), class, min(sure, maybe))
		return
	case len(w.choices) > 0:
		for _, c := range w.choices {
			s.mention(c, class, min(sure, maybe)) // not every shell knows braces
		}
		return
	case w.kind != fixed:
		for _, shape := range w.shape.names() {
			s.add(act{class: class, text: shorten(w.text), mention: maybe, shape: shape, dir: s.policy.Dir})
		}
	}
	for _, m := range inQuotes().FindAllStringSubmatch(w.text, maxScripts) {
		if len(m[0]) > maxPath {
			continue
		}
		s.add(act{class: class, text: shorten(w.text), mention: maybe, raw: cmp.Or(m[1], m[2])})
	}
	if w.kind != fixed {
		return
	}
	for _, p := range names(w.text) {
		s.add(act{class: class, text: shorten(w.text), mention: sure, raw: p})
	}
}

var inQuotes = lazily(`"([^"\s]+)"|'([^'\s]+)'`)

// names are the texts in a word that may name a file: the word, what stands
// behind = : @ or a comma, and what is joined to a short option.
func names(text string) []string {
	found := []string{}
	add := func(t string) {
		if t != "" && t != "-" && len(t) <= maxPath && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	if !strings.HasPrefix(text, "-") {
		add(text)
	} else if len(text) > 2 && text[1] != '-' {
		add(text[2:])
	}
	for rest := text; len(found) < maxScripts; {
		i := strings.IndexAny(rest, "=:@,")
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		add(rest)
		if j := strings.IndexAny(rest, "=:@,"); j > 0 {
			add(rest[:j])
		}
	}
	return found
}
