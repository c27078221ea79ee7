package permission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A shape is what a word can become that the shell has still to expand: fixed
// text with gaps between.
type shape []piece

// A piece is one fixed character, or a gap.
type piece struct {
	gap  gap
	char rune
}

type gap uint8

const (
	none     gap = iota
	oneChar      // one character but a slash
	notDot       // one character but a slash or a dot
	anyName      // any number of characters but slashes
	anyText      // any number of characters
	optional     // nothing; the two pieces that follow may be missing
)

// many says whether the piece is any number of characters.
func (p piece) many() bool { return p.gap == anyName || p.gap == anyText }

// text appends fixed text. Letter case counts for nothing.
func (s shape) text(t string) shape {
	for _, r := range t {
		s = append(s, piece{char: unicode.ToLower(r)})
	}
	return s
}

// add appends gaps.
func (s shape) add(gaps ...gap) shape {
	for _, g := range gaps {
		s = append(s, piece{gap: g})
	}
	return s
}

// star appends what * is to a shell: at the start of a name it takes no dot.
func (s shape) star() shape {
	if n := len(s); n == 0 || s[n-1] == (piece{char: '/'}) {
		return s.add(optional, notDot, anyName)
	}
	return s.add(anyName)
}

// loose is the shape where stars take dots and slashes too.
func (s shape) loose() (loose shape) {
	for len(s) > 0 {
		n := 1
		switch {
		case len(s) > 2 && s[0].gap == optional && s[1].gap == notDot: // what star made
			n = 3
			loose = loose.add(anyText)
		case s[0].gap == anyName:
			loose = loose.add(anyText)
		case s[0].char == '/' && s[0].gap == none && len(loose) > 0 && loose[len(loose)-1].gap == anyText:
			// ** may stand for no folder at all
		default:
			loose = append(loose, s[0])
		}
		s = s[n:]
	}
	return loose
}

// base is the shape of the last name of a path of this shape.
func (s shape) base() shape {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == (piece{char: '/'}) {
			return s[i+1:]
		}
	}
	return s
}

// names are the shapes of the names of files that a word of this shape may hold:
// its own, and what stands behind = : @ or a comma.
func (s shape) names() (found []shape) {
	for i := range s {
		if i > 0 && !strings.ContainsRune("=:@,", s[i-1].char) || s[i:].vague() || len(found) == maxScripts {
			continue
		}
		found = append(found, s[i:].clean())
	}
	return found
}

// clean is the shape without what does not change where a path leads: doubled
// slashes and dots. Behind a .. it may lead anywhere.
func (s shape) clean() (path shape) {
	up := false
	for len(s) > 0 {
		n := len(path)
		switch begins := n == 0 || path[n-1] == (piece{char: '/'}); {
		case begins && s.begins("./"):
			s = s[2:]
		case begins && s.begins("../"):
			s, path, up = s[3:], nil, true
		case begins && n > 0 && s.begins("/"):
			s = s[1:]
		default:
			s, path = s[1:], append(path, s[0])
		}
	}
	if up {
		return append(shape(nil).add(anyText).text("/"), path...)
	}
	return path
}

// begins says whether the shape begins with this text, of ASCII.
func (s shape) begins(t string) bool {
	for i := range len(t) {
		if i == len(s) || s[i] != (piece{char: rune(t[i])}) {
			return false
		}
	}
	return true
}

// vague says whether the shape is any text at all.
func (s shape) vague() bool {
	return !slices.ContainsFunc(s, func(p piece) bool { return p.gap != anyText })
}

// mayMatch says whether some text of this shape matches the pattern of paths. It
// may also lie below what matches, unless that takes a guess at whole folders.
func (s shape) mayMatch(pattern string) bool {
	folder, below := strings.CutSuffix(pattern, "/**")
	p := patternShape(folder)
	below = below || !slices.Contains(s, piece{gap: anyText})
	return meet(p, s) || below && meet(p.text("/").add(anyText), s)
}

// patternShape is the shape of what a pattern of paths matches; alternatives are
// any text.
func patternShape(pattern string) shape {
	var s shape
	for i := 0; i < len(pattern); {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			s, i = s.add(optional, anyText).text("/"), i+3
		case strings.HasPrefix(rest, "**"):
			s, i = s.add(anyText), i+2
		case rest[0] == '*':
			s, i = s.add(anyName), i+1
		case rest[0] == '?':
			s, i = s.add(oneChar), i+1
		case rest[0] == '[' && strings.Contains(rest, "]"):
			s, i = s.add(oneChar), i+strings.Index(rest, "]")+1
		case rest[0] == '{' && strings.Contains(rest, "}"):
			s, i = s.add(anyText), i+strings.LastIndex(rest, "}")+1
		case rest[0] == '\\' && len(rest) > 1:
			i++
			fallthrough
		default:
			_, n := utf8.DecodeRuneInString(pattern[i:])
			s, i = s.text(pattern[i:i+n]), i+n
		}
	}
	return s
}

// meet says whether some text has both shapes.
func meet(a, b shape) bool {
	width := len(b) + 1
	// reach says whether a[:i] and b[:j] have a text in common, at i*width+j.
	reach := make([]bool, (len(a)+1)*width)
	reach[0] = true
	for i := range len(a) + 1 {
		for j := range width {
			if !reach[i*width+j] {
				continue
			}
			for _, step := range steps(a[i:], b[j:]) {
				reach[(i+step[0])*width+j+step[1]] = true
			}
		}
	}
	return reach[len(reach)-1]
}

// steps are the ways to go on in two shapes: how many pieces of each are done
// with by leaving out what may be missing, or by one more character.
func steps(a, b shape) (steps [][2]int) {
	if len(a) > 0 {
		steps = a[0].leave(steps, 1, 0)
	}
	if len(b) > 0 {
		steps = b[0].leave(steps, 0, 1)
	}
	if len(a) == 0 || len(b) == 0 || a[0].gap == optional || b[0].gap == optional || !share(a[0], b[0]) {
		return steps
	}
	switch am, bm := a[0].many(), b[0].many(); {
	case am && !bm:
		steps = append(steps, [2]int{0, 1})
	case bm && !am:
		steps = append(steps, [2]int{1, 0})
	case !am && !bm:
		steps = append(steps, [2]int{1, 1})
	}
	return steps
}

// leave appends the ways to go on without a character.
func (p piece) leave(steps [][2]int, i, j int) [][2]int {
	if p.many() || p.gap == optional {
		steps = append(steps, [2]int{i, j})
	}
	if p.gap == optional {
		steps = append(steps, [2]int{3 * i, 3 * j})
	}
	return steps
}

// share says whether one character can belong to both pieces.
func share(p, q piece) bool {
	if p.gap != none && q.gap != none {
		return true
	}
	if p.gap != none {
		p, q = q, p
	}
	switch q.gap {
	case none:
		return p.char == q.char
	case anyText:
		return true
	case notDot:
		return p.char != '/' && p.char != '.'
	}
	return p.char != '/'
}
