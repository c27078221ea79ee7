package parse

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
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

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '.' || c == ':' || c == '/' || c == '-'
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

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

// namespaces are what models write before names.
var namespaces = [...]string{"functions.", "function.", "functions:", "tools.", "call:"}

// spellings are the readings of a name without what models put around it:
// a leaked control token, the functions namespace, a counter, a method.
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

// facts are what a parser needs to know of a schema.
type facts struct {
	read   bool
	params map[string]param // nil: no schema
	lone   string           // the name of the one parameter, if there is one
	only   string           // the same, if it is a string
}

// param is what a schema says of one parameter.
type param struct {
	kind   paramType
	object bool // its value may be an object
}

// paramType says how text that stands for a value is read.
type paramType uint8

const (
	typeUnknown paramType = iota
	typeString
	typeJSON
)

// noFacts are those of a tool that is not known.
var noFacts facts

// of returns the facts of tool i.
func (r *registry) of(i int) *facts {
	if i < 0 {
		return &noFacts
	}
	f := &r.facts[i]
	if !f.read {
		f.read = true
		f.readSchema(r.tools[i].Parameters)
	}
	return f
}

func (f *facts) readSchema(schema []byte) {
	if len(schema) == 0 || !gjson.ValidBytes(schema) {
		return
	}
	props := gjson.GetBytes(schema, "properties")
	if !props.IsObject() && gjson.GetBytes(schema, "type").String() != "object" {
		return
	}
	f.params = map[string]param{}
	props.ForEach(func(k, v gjson.Result) bool {
		kind := schemaType(v)
		f.params[k.String()] = param{kind, admitsObject(v)}
		f.lone, f.only = "", ""
		if len(f.params) == 1 {
			f.lone = k.String()
		}
		if kind == typeString {
			f.only = f.lone
		}
		return true
	})
}

// schemaType tells a parameter whose text is its value from one whose text is
// JSON. One that may be both is a string.
func schemaType(s gjson.Result) paramType {
	t := s.Get("type")
	switch {
	case t.Type == gjson.String:
		if t.Str == "string" {
			return typeString
		}
		return typeJSON
	case t.IsArray():
		for _, v := range t.Array() {
			if v.Str == "string" {
				return typeString
			}
		}
		return typeJSON
	}
	for _, alt := range [...]string{"anyOf", "oneOf"} {
		kind := typeUnknown
		for _, v := range s.Get(alt).Array() {
			if kind = schemaType(v); kind == typeString {
				return typeString
			}
		}
		if kind != typeUnknown {
			return kind
		}
	}
	if s.Get("properties").Exists() || s.Get("items").Exists() {
		return typeJSON
	}
	return typeUnknown
}

// admitsObject reports whether a value that s describes may be an object, as far
// as its types tell.
func admitsObject(s gjson.Result) bool {
	types := s.Get("type")
	for _, t := range types.Array() {
		switch t.Str {
		case "string", "number", "integer", "boolean", "array", "null":
		default:
			return true
		}
	}
	if types.Exists() {
		return false
	}
	alts := slices.Concat(s.Get("anyOf").Array(), s.Get("oneOf").Array())
	return len(alts) == 0 || slices.ContainsFunc(alts, admitsObject)
}

// has reports whether the schema declares the parameter.
func (f *facts) has(key string) bool {
	_, ok := f.params[key]
	return ok
}
