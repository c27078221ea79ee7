package permission

import "slices"

// globNames finds the names by which a shell is told that a star also stands for
// names that begin with a dot, or for folders.
var globNames = lazily(`dotglob|globstar|GLOBIGNORE|BASHOPTS|(?i:glob_?dots|glob_?star)`)

// setters are the commands that set variables by names among their words.
var setters = []string{"getopts", "mapfile", "read", "readarray"}

// changesGlobs says whether a command may change what * stands for by a name that
// the line does not spell out.
func changesGlobs(words []word, runsAny bool) bool {
	switch name := programOf(words); name {
	case "shopt", "setopt", "unsetopt":
		return true
	case "", "eval": // it may be one of those
		return runsAny
	case "printf":
		return len(words) > 2 && words[1].mayBe("-v") && words[2].kind != fixed
	default:
		return slices.Contains(setters, name) && slices.ContainsFunc(words, func(w word) bool { return w.kind != fixed })
	}
}
