package parse

import (
	"slices"
	"strings"
)

// maxName is the longest well-formed name, in bytes.
const maxName = 64

// wellFormed reports whether s is a name a tool may have:
// [A-Za-z_][A-Za-z0-9_.:/-]{0,63}.
func wellFormed(s string) bool {
	if s == "" || len(s) > maxName || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

// registry finds registered tools by the names that models write. It is built
// when the first name is looked up: most replies hold none.
type registry struct {
	tools []Tool
	exact map[string]int
	fold  map[string]int // folded name; ambiguous names map to -1
	first [256]bool      // with what a name of a tool may begin, in any spelling
	facts []facts        // what the schemas say, made on demand
}

func (r *registry) build() {
	r.exact = make(map[string]int, len(r.tools))
	r.fold = make(map[string]int, len(r.tools))
	r.facts = make([]facts, len(r.tools))
	for i, t := range r.tools {
		if _, ok := r.exact[t.Name]; ok {
			continue
		}
		r.exact[t.Name] = i
		k := string(foldName(nil, t.Name))
		if _, ok := r.fold[k]; ok {
			i = -1
		}
		r.fold[k] = i
		r.mayBegin(k)
	}
	for _, n := range namespaces {
		r.mayBegin(n)
	}
	for c := range r.first {
		r.first[c] = r.first[c] || !isLetter(byte(c)) || c == '_'
	}
}

// mayBegin notes with what a name begins, in lower or upper case.
func (r *registry) mayBegin(name string) {
	if name != "" {
		r.first[name[0]], r.first[name[0]&^0x20] = true, true
	}
}

// lookup returns the index of the tool that name means, or -1. exact is false
// when the name is a respelling that maps to exactly one registered name.
func (r *registry) lookup(name string) (tool int, exact bool) {
	if r == nil || len(r.tools) == 0 || name == "" {
		return -1, false
	}
	if r.exact == nil {
		r.build()
	}
	if !r.first[name[0]] {
		return -1, false
	}
	if i, ok := r.exact[name]; ok {
		return i, true
	}
	if len(name) > 4*maxName {
		return -1, false
	}
	for k, n := range spellings(name) {
		if i, ok := r.exact[n]; ok {
			return i, k >= 2 && len(n)+len(".call") == len(name) // Llama's NAME.call
		}
		var buf [2 * maxName]byte
		if i, ok := r.fold[string(foldName(buf[:0], n))]; ok && i >= 0 {
			return i, false
		}
	}
	return -1, false
}

// known reports whether name means a registered tool.
func (r *registry) known(name string) bool {
	i, _ := r.lookup(name)
	return i >= 0
}

// mayBecome reports whether a name that is still being written could become a
// registered one.
func (r *registry) mayBecome(prefix string) bool {
	if r.known(prefix) {
		return true
	}
	if strings.HasPrefix("functions.", prefix) {
		return true
	}
	for _, n := range spellings(prefix) {
		fold := string(foldName(nil, n))
		for _, t := range r.tools {
			if strings.HasPrefix(string(foldName(nil, t.Name)), fold) {
				return true
			}
		}
	}
	return false
}

// beginsNamespace reports whether a namespace goes on behind the prefix.
func beginsNamespace(prefix string) bool {
	return slices.ContainsFunc(namespaces[:], func(n string) bool { return strings.HasPrefix(n, prefix) })
}

// namespaces are what models write before names.
var namespaces = [...]string{"functions.", "function.", "functions:", "tools.", "call:"}

// spellings are the readings of a name without what models put around it: first
// without a leaked control token, quotes and brackets; then also without a namespace
// and a counter, as in functions.NAME:0; then these two, the later one first, without
// Llama's method .call.
func spellings(name string) [4]string {
	s := name
	if i := strings.Index(s, "<|"); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "<｜"); i >= 0 {
		s = s[:i]
	}
	s = strings.Trim(s, " \t\r\n`'\"*")
	s = strings.TrimSuffix(s, "()")
	base := s
	if i := strings.LastIndexByte(s, ':'); i > 0 && i+1 < len(s) && strings.Trim(s[i+1:], "0123456789") == "" {
		base = s[:i]
	}
	for _, p := range namespaces {
		base = strings.TrimPrefix(base, p)
	}
	return [4]string{s, base, strings.TrimSuffix(base, ".call"), strings.TrimSuffix(s, ".call")}
}

// foldName maps names that differ only by case, by - _ . and their doubling,
// by spaces or by a Markdown escape to the same bytes, appended to b.
func foldName(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z':
			b = append(b, c+'a'-'A')
		case c == '-' || c == '_' || c == '.' || c == ' ':
			if n := len(b); n == 0 || b[n-1] != '_' {
				b = append(b, '_')
			}
		case c == '\\':
		default:
			b = append(b, c)
		}
	}
	return b
}

// opensArgs says whether the parenthesis of a call opens behind the name of n bytes that
// s begins with: at once, or behind spaces, where it holds a remark unless an argument's
// name or an object comes first.
func opensArgs(s string, n int, eof bool) tri {
	t, cut := beforeArgs(s, n, eof)
	switch open := blanks(t, n); {
	case open == len(t):
		return cut
	case t[open] != '(':
		return no
	case open > n:
		return firstArg(t[open+1:], '{', cut)
	}
	return yes
}

// namedArgs says whether the parenthesis behind the name of n bytes that s begins with
// closes at once or holds an argument's name first.
func namedArgs(s string, n int, eof bool) tri {
	t, cut := beforeArgs(s, n, eof)
	switch {
	case n == len(t):
		return cut
	case t[n] != '(':
		return no
	}
	return firstArg(t[n+1:], ')', cut)
}

// beforeArgs cuts s, which begins with a name of n bytes, to what is looked at to find its
// arguments, and says what is known if that is not enough.
func beforeArgs(s string, n int, eof bool) (t string, cut tri) {
	if len(s) < n+maxTag && !eof {
		return s, maybe
	}
	return s[:min(len(s), n+maxTag)], no
}

// firstArg says whether an argument's name or the byte other comes first in t; it is cut
// if t ends before that shows.
func firstArg(t string, other byte, cut tri) tri {
	t = strings.TrimLeft(t, " \t\r\n")
	word := wordLen(t)
	switch {
	case mayGoOn(t, word):
		return cut
	case word == 0 && t[0] == other:
		return yes
	case word == 0:
		return no
	}
	switch rest := t[blanks(t, word):]; {
	case rest == "" || rest == "=" && cut == maybe:
		return cut
	case rest[0] == '=' && !strings.HasPrefix(rest, "=="):
		return yes
	}
	return no
}

// callName returns the length of the registered name that s begins with, if (
// follows it.
func callName(s string, reg *registry) (int, bool) {
	n := wordLen(s)
	if n == 0 || n >= len(s) || s[n] != '(' {
		return 0, false
	}
	return n, reg.known(s[:n])
}
