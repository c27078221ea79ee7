package permission

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// place says which file an act is about: p as it is written, taken from the
// folder dir. An act can have several names: the one written, and the one that
// links lead to.
func (a *act) place(dir, p string) {
	a.dir = cleanPath(dir)
	if rest, ok := strings.CutPrefix(p, "/proc/self/cwd/"); ok {
		p = rest // it is the folder of the program that opens it, not of this one
	}
	a.name(relative(dir, p))
	if home := expandHome(p); home != p { // a shell's way to write it
		p = home
		a.name(relative(dir, p))
	}
	if real, ok := follow(dir, p); ok {
		a.name(real)
	}
}

func (a *act) name(p string) {
	if !slices.Contains(a.names, p) {
		a.names = append(a.names, p)
	}
}

// ordinary says whether the act is about a file below the working folder that does
// not decide what programs are run or what is allowed.
func (a *act) ordinary() bool {
	return a.why == "" && !slices.ContainsFunc(a.names, func(name string) bool {
		return outside(name) || slices.ContainsFunc(strings.Split(fold(strings.ToLower(name)), "/"), decides)
	})
}

// guards says whether the act is about something guarded, or a file in it.
func (p *Policy) guards(a *act) bool {
	full := func(name string) string {
		if !path.IsAbs(name) {
			name = path.Join(cleanPath(p.Dir), name)
		}
		return fold(strings.ToLower(name))
	}
	for _, g := range p.Guarded {
		var b act
		b.place(p.Dir, g)
		for _, guarded := range b.names {
			if slices.ContainsFunc(a.names, func(name string) bool {
				return strings.HasPrefix(full(name)+"/", strings.TrimSuffix(full(guarded), "/")+"/")
			}) {
				return true
			}
		}
	}
	return false
}

// decides says whether git runs programs by what stands in a folder of this name,
// or a project's rules in a file.
func decides(name string) bool {
	return name == ".git" || name == "git~1" || name == ".localagent.toml"
}

// within says whether the pattern covers every name of the act's file, in the
// sense of an allow rule: letter for letter, and nothing outside the working
// folder unless the pattern says so.
func (a *act) within(pattern string) bool {
	pattern = cleanPattern(pattern)
	for _, name := range a.names {
		if outside(name) && !outside(pattern) || !glob(pattern, a.seenBy(pattern, name)) {
			return false
		}
	}
	return len(a.names) > 0
}

// matchPath says whether the pattern covers any name of the act's file or of a
// folder above it, in the sense of a deny rule.
func (a *act) matchPath(pattern string) level {
	pattern = cleanPattern(pattern)
	low := strings.ToLower(pattern)
	for _, name := range a.names {
		name = strings.ToLower(a.seenBy(pattern, name))
		if covers(low, name) || covers(low, fold(name)) {
			return yes
		}
	}
	if a.shape != nil && (a.shape.mayMatch(low) || !outside(low) && a.shape.mayMatch(a.inFull(low))) {
		return maybe
	}
	return no
}

// inFull is the pattern of a relative path as one of absolute paths.
func (a *act) inFull(pattern string) string {
	if a.dir == "" || a.dir == "." {
		return "/**/" + pattern
	}
	return strings.ToLower(quoteGlob(cleanPath(a.dir))) + "/" + pattern
}

// maxDepth is how many folders above a file are looked at for a rule that names
// one of them.
const maxDepth = 256

// covers says whether the pattern matches the path or a folder above it.
func covers(pattern, name string) bool {
	if glob(pattern, name) || glob(pattern, strings.TrimPrefix(name, "/")) {
		return true
	}
	end := 0
	for range maxDepth {
		i := strings.IndexByte(name[end:], '/')
		if i < 0 {
			return false
		}
		end += i
		if up := name[:end]; up != "" && (glob(pattern, up) || glob(pattern, strings.TrimPrefix(up, "/"))) {
			return true
		}
		end++
	}
	return false
}

// seenBy is the name in the form that the pattern is written in: absolute when
// the pattern is.
func (a *act) seenBy(pattern, name string) string {
	if !strings.HasPrefix(pattern, "/") {
		return name
	}
	if name = expandHome(name); a.dir != "." && !path.IsAbs(name) {
		name = path.Join(a.dir, name)
	}
	return name
}

func glob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// cleanPattern is a pattern in the form of cleaned paths. A slash at its end
// means the folder with all that is in it.
func cleanPattern(p string) string {
	p = expandHome(p)
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
	}
	if strings.HasSuffix(p, "/") && p != "/" {
		p += "**"
	}
	return p
}

// expandHome replaces the ~ of a path by the user's folder.
func expandHome(p string) string {
	if p != "~" && !strings.HasPrefix(p, "~/") {
		return p
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return p
	}
	return cleanPath(home) + p[1:]
}

// cleanPath undoes what makes two spellings of one path: doubled slashes, dots,
// a slash at the end, and backslashes where they are slashes.
func cleanPath(p string) string { return path.Clean(filepath.ToSlash(p)) }

// outside says whether a cleaned path leaves the working folder.
func outside(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") ||
		p == ".." || strings.HasPrefix(p, "../") || filepath.VolumeName(p) != ""
}

// relative is p cleaned, and taken from dir when it lies below it.
func relative(dir, p string) string {
	p = cleanPath(p)
	if dir == "" {
		return p
	}
	return below(cleanPath(dir), p)
}

// below is the path p as seen from the folder dir, or p itself.
func below(dir, p string) string {
	if p == dir {
		return "."
	}
	if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/"); ok {
		return cmp.Or(rest, ".")
	}
	return p
}

// maxLinks is how many links, and folders that do not exist yet, are looked at
// for one path.
const maxLinks = 255

// follow is where the links in p lead, as seen from dir. A file that does not
// exist yet is taken to stand in its folder, and where a dangling link points.
func follow(dir, p string) (string, bool) {
	if dir == "" || strings.HasPrefix(p, "~") {
		return "", false
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	if !filepath.IsAbs(p) {
		// Not joined: that would drop "link/..", which need not lead back.
		p = dir + string(filepath.Separator) + p
	}
	rest := ""
	for range maxLinks {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return below(cleanPath(root), cleanPath(filepath.Join(real, rest))), true
		}
		if target, err := os.Readlink(p); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Dir(p) + string(filepath.Separator) + target
			}
			p = target
			continue
		}
		up, last := filepath.Split(strings.TrimRight(p, string(filepath.Separator)))
		if last == "" {
			return "", false
		}
		p, rest = up, filepath.Join(last, rest)
	}
	return "", false
}

// fold makes one of the names that some file system takes for the same:
// characters that are not seen, dots and spaces at the end, streams. The name is
// in lower case already.
func fold(p string) string {
	p = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, p)
	segs := strings.Split(p, "/")
	for i, s := range segs {
		if s == "." || s == ".." {
			continue
		}
		if j := strings.IndexByte(s, ':'); j > 0 {
			s = s[:j]
		}
		segs[i] = cmp.Or(strings.TrimRight(s, ". "), s)
	}
	return strings.Join(segs, "/")
}
