package builtin

import (
	"io"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	ignoreFile    = ".gitignore"
	maxIgnoreFile = 64 << 10 // bytes read of one
)

// ignoreRules are the patterns of .gitignore files, outer files first. The last
// one that matches decides. The rules are those of gitignore(5); files outside
// the folder and git's own configuration are not read.
type ignoreRules []ignoreRule

type ignoreRule struct {
	glob    string // of the whole path
	dirOnly bool
	keep    bool // the line began with !
}

func (rs ignoreRules) match(p string, isDir bool) bool {
	for i := len(rs) - 1; i >= 0; i-- {
		if r := rs[i]; (isDir || !r.dirOnly) && doublestar.MatchUnvalidated(r.glob, p) {
			return !r.keep
		}
	}
	return false
}

// parseIgnore reads the lines of a file in dir.
func parseIgnore(dir, text string) ignoreRules {
	var rs ignoreRules
	for line := range strings.Lines(text) {
		if r, ok := parseIgnoreLine(dir, line); ok {
			rs = append(rs, r)
		}
	}
	return rs
}

func parseIgnoreLine(dir, line string) (r ignoreRule, ok bool) {
	line = trimBlanks(strings.TrimRight(line, "\r\n"))
	if line == "" || line[0] == '#' {
		return r, false
	}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if !strings.Contains(line, "/") {
		line = "**/" + line
	}
	line = strings.TrimPrefix(line, "/")
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is inside, not the folder itself
	}
	line = asInGit.Replace(plainStars(line))
	if dir != "." {
		line = literalGlob(dir) + "/" + line
	}
	r.glob = line
	return r, doublestar.ValidatePattern(line)
}

// asInGit writes a pattern for doublestar: braces are no alternatives in git,
// and [!a] does not match a slash.
var asInGit = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`, `\[`, `\[`, `[!`, `[!/`, `[^`, `[^/`)

// plainStars makes one star of several, but where they stand alone between
// slashes.
func plainStars(pattern string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		for strings.Contains(p, "***") || strings.Contains(p, "**") && strings.Trim(p, "*") != "" {
			p = strings.Replace(p, "**", "*", 1)
		}
		parts[i] = p
	}
	return strings.Join(parts, "/")
}

// trimBlanks cuts trailing blanks that are not escaped.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// literalGlob is a pattern that matches only p.
func literalGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(p)
}

// rulesIn reads the .gitignore of a folder. One that cannot be read has none.
func (f *folder) rulesIn(dir string) ignoreRules {
	file, _, err := f.openRegular(path.Join(dir, ignoreFile))
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseIgnore(dir, string(text))
}

// rulesAbove are the rules of the folders around dir, which is walked also if
// they ignore it.
func (f *folder) rulesAbove(dir string) ignoreRules {
	var rs ignoreRules
	for i, r := range dir {
		if r == '/' {
			rs = append(rs, f.rulesIn(dir[:i])...)
		}
	}
	if dir != "." {
		rs = append(f.rulesIn("."), rs...)
	}
	return rs
}
