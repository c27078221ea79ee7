package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A schema is what this package reads of a JSON Schema: the keywords that
// coercion, error texts and signatures need, with the order of the properties
// and the bytes of the values kept. Whether arguments fit is decided by the
// validator alone.
type schema struct {
	types    []string // allowed types; empty: any
	props    []property
	needs    []string // other properties that are required
	extra    *schema  // of other properties; nil: any
	closed   bool     // no other properties
	items    *schema
	enum     []json.RawMessage
	oneOf    []*schema // anyOf and oneOf
	also     []*schema // what else the same value is held against
	inside   []*schema // what else parts of it may be held against
	ref      string
	target   *schema // of ref; nil: not known
	min, max bound
	step     string // multipleOf
	length   span   // of strings, in characters
	count    span   // of lists
	pattern  string
	desc     string
	def      json.RawMessage
	examples []json.RawMessage
	never    bool            // the schema false
	raw      json.RawMessage // as written
	at       string          // where it stands, as a reference says it
}

// A property is a named argument.
type property struct {
	name     string
	schema   *schema
	required bool
}

// A bound is a limit of a number; text is empty when there is none.
type bound struct {
	text      string
	exclusive bool
}

// A span limits a length; max is negative when there is no limit.
type span struct{ min, max int }

var unlimited = span{0, -1}

var anySchema = &schema{length: unlimited, count: unlimited}

// A Schema is a JSON Schema made ready for checks.
type Schema struct {
	schema   *schema
	resolved *jsonschema.Resolved
	plain    bool // every part of a value is held against few schemas
}

// NewSchema reads a JSON Schema, draft 7 or 2020-12. It refuses one that nests
// deeper than 100, refers to something outside, or has alternatives within
// alternatives without end.
func NewSchema(raw json.RawMessage) (*Schema, error) { return newSchema(raw, false) }

// newSchema reads a schema. If strict, defaults have to fit; schemas of others
// often have some that do not.
func newSchema(raw json.RawMessage, strict bool) (*Schema, error) {
	var js jsonschema.Schema
	if err := json.Unmarshal(raw, &js); err != nil {
		return nil, err
	}
	raw = skipSpace(raw)
	if tooDeep(raw) {
		return nil, fmt.Errorf("nests deeper than %d", maxNesting)
	}
	s, err := readSchema(raw)
	if err != nil {
		return nil, err
	}
	resolved, err := js.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: strict})
	if err != nil {
		return nil, err
	}
	return &Schema{s.root, resolved, s.plain()}, nil
}

// compile reads the schema of arguments. nil is any object.
func compile(raw json.RawMessage, strict bool) (*Schema, error) {
	if raw == nil {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	var js struct{ Type any }
	if err := json.Unmarshal(raw, &js); err != nil {
		return nil, err
	}
	if js.Type != "object" {
		return nil, errors.New(`want a schema whose type is "object"`)
	}
	return newSchema(raw, strict)
}

// A schemaReader reads a schema and remembers all parts of it.
type schemaReader struct {
	root   *schema
	all    []*schema
	places map[string]*schema // by what a reference calls them
	id     string             // of the root
}

// readSchema reads valid JSON.
func readSchema(raw json.RawMessage) (*schemaReader, error) {
	r := &schemaReader{places: map[string]*schema{}}
	r.root = r.schema(raw, "#")
	for _, s := range r.all {
		if s.ref == "" {
			continue
		}
		if s.target = r.places[r.place(s.ref)]; s.target == nil {
			return nil, fmt.Errorf("%s: the reference %q leads to no schema in here", s.at, s.ref)
		}
	}
	var w ways
	for _, s := range r.all {
		if _, err := w.of(s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// place is a reference without the name of the whole and without what URLs escape.
func (r *schemaReader) place(ref string) string {
	if rest, ok := strings.CutPrefix(ref, r.id); ok && r.id != "" {
		ref = cmp.Or(rest, "#")
	}
	if text, err := url.PathUnescape(ref); err == nil {
		return text
	}
	return ref
}

// plain reports whether no part of a value is held against more schemas than
// the keywords of one.
func (r *schemaReader) plain() bool {
	return !slices.ContainsFunc(r.all, func(s *schema) bool {
		return s.ref != "" || len(s.oneOf)+len(s.also)+len(s.inside) > 0
	})
}

// same are the schemas that a value which is held against s is held against too.
func (s *schema) same() []*schema {
	all := slices.Concat(s.oneOf, s.also)
	if s.target != nil {
		all = append(all, s.target)
	}
	return all
}

// maxWays is how many schemas one place of a value may be held against.
const maxWays = 1000

// ways counts them. Alternatives of alternatives multiply, where references make
// the same ones of both.
type ways map[*schema]int

// of is the number for s, itself included. It fails for a schema that refers to
// itself without going into the value.
func (w *ways) of(s *schema) (int, error) {
	if *w == nil {
		*w = ways{}
	}
	n, known := (*w)[s]
	switch {
	case known && n == 0: // s is being counted
		return 0, fmt.Errorf("%s: leads back to itself", s.at)
	case known:
		return n, nil
	}
	(*w)[s] = 0
	n = 1
	for _, in := range s.same() {
		m, err := w.of(in)
		if err != nil {
			return 0, err
		}
		if n += m; n > maxWays {
			return 0, fmt.Errorf("%s: alternatives within alternatives come to more than %s", s.at, plural(maxWays, "schema"))
		}
	}
	(*w)[s] = n
	return n, nil
}

// schema reads the schema at a place.
func (r *schemaReader) schema(raw json.RawMessage, at string) *schema {
	s := &schema{raw: raw, at: at, length: unlimited, count: unlimited}
	r.all = append(r.all, s)
	r.places[at] = s
	if kindOf(raw) != kindObject {
		s.never = raw[0] == 'f'
		return s
	}
	var required []string
	for _, m := range members(raw) {
		if m.key == "required" {
			json.Unmarshal(m.value, &required)
		} else {
			r.keyword(s, m.key, m.value)
		}
	}
	for _, name := range required {
		if p := s.property(name); p != nil {
			p.required = true
		} else {
			s.needs = append(s.needs, name)
		}
	}
	return s
}

// named reads the schemas in an object, each under its key.
func (r *schemaReader) named(raw json.RawMessage, at string) (names []string, all []*schema) {
	for _, m := range members(raw) {
		if k := kindOf(m.value); k == kindObject || k == kindBool { // a dependency may be a list
			names = append(names, m.key)
			all = append(all, r.schema(m.value, at+"/"+escapedKey.Replace(m.key)))
		}
	}
	return names, all
}

var escapedKey = strings.NewReplacer("~", "~0", "/", "~1")

// listed reads the schemas in a list, or the one that stands there alone.
func (r *schemaReader) listed(raw json.RawMessage, at string) (all []*schema) {
	if kindOf(raw) != kindArray {
		return []*schema{r.schema(raw, at)}
	}
	for i, v := range items(raw) {
		all = append(all, r.schema(v, fmt.Sprintf("%s/%d", at, i)))
	}
	return all
}

// keyword reads one keyword. The types of the values are right, but any may be
// null, which is as good as absent.
func (r *schemaReader) keyword(s *schema, key string, v json.RawMessage) {
	if kindOf(v) == kindNull && key != "const" && key != "default" {
		return
	}
	at := s.at + "/" + key
	switch key {
	case "type":
		s.types = stringsOf(v)
	case "properties":
		names, all := r.named(v, at)
		for i, name := range names {
			s.props = append(s.props, property{name: name, schema: all[i]})
		}
	case "additionalProperties":
		s.extra = r.schema(v, at)
		s.closed = s.extra.rejects()
	case "items":
		all := r.listed(v, at)
		if kindOf(v) == kindArray {
			s.inside = append(s.inside, all...)
		} else {
			s.items = all[0]
		}
	case "patternProperties":
		_, all := r.named(v, at)
		s.inside = append(s.inside, all...)
	case "prefixItems", "additionalItems", "unevaluatedItems", "contains", "propertyNames", "unevaluatedProperties":
		s.inside = append(s.inside, r.listed(v, at)...)
	case "$defs", "definitions":
		r.named(v, at)
	case "$anchor", "$dynamicAnchor":
		r.places["#"+unquote(v)] = s
	case "$id":
		r.places[unquote(v)] = s
		if s.at == "#" {
			r.id = unquote(v)
		}
	case "enum":
		s.enum = items(v)
	case "const":
		s.enum = []json.RawMessage{v}
	case "anyOf", "oneOf":
		s.oneOf = append(s.oneOf, r.listed(v, at)...)
	case "allOf", "not", "if", "then", "else":
		s.also = append(s.also, r.listed(v, at)...)
	case "dependentSchemas", "dependencies":
		_, all := r.named(v, at)
		s.also = append(s.also, all...)
	case "$ref", "$dynamicRef":
		s.ref = unquote(v)
	case "minimum", "exclusiveMinimum":
		s.min = bound{string(v), key == "exclusiveMinimum"}
	case "maximum", "exclusiveMaximum":
		s.max = bound{string(v), key == "exclusiveMaximum"}
	case "multipleOf":
		s.step = string(v)
	case "minLength":
		json.Unmarshal(v, &s.length.min)
	case "maxLength":
		json.Unmarshal(v, &s.length.max)
	case "minItems":
		json.Unmarshal(v, &s.count.min)
	case "maxItems":
		json.Unmarshal(v, &s.count.max)
	case "pattern":
		s.pattern = unquote(v)
	case "description":
		s.desc = unquote(v)
	case "default":
		s.def = v
	case "examples":
		s.examples = items(v)
	}
}

func stringsOf(v json.RawMessage) []string {
	if kindOf(v) == kindString {
		return []string{unquote(v)}
	}
	var ss []string
	json.Unmarshal(v, &ss)
	return ss
}

// rejects reports whether nothing fits: false, or {"not":{}}, which is how the
// inferred schemas write it.
func (s *schema) rejects() bool {
	if s.never || kindOf(s.raw) != kindObject {
		return s.never
	}
	ms := members(s.raw)
	return len(ms) == 1 && ms[0].key == "not" && (string(ms[0].value) == "{}" || string(ms[0].value) == "true")
}

// property returns the schema of a property, or nil.
func (s *schema) property(name string) *property {
	for i := range s.props {
		if s.props[i].name == name {
			return &s.props[i]
		}
	}
	return nil
}

// follow returns the schema that s stands for. A reference that is not known
// here stands for any value.
func (s *schema) follow() *schema {
	for s != nil && s.ref != "" {
		s = s.target
	}
	if s == nil {
		return anySchema
	}
	return s
}

// allows reports whether a value of this type can fit, by type alone.
func (s *schema) allows(k kind) bool {
	return len(s.types) == 0 || slices.ContainsFunc(s.types, func(t string) bool {
		return t == k.name() || t == "integer" && k == kindNumber
	})
}

// wants names what fits, for people and models: "an integer", "one of "a", "b"".
func (s *schema) wants() string {
	if len(s.enum) == 1 {
		return string(s.enum[0])
	}
	if len(s.enum) > 0 {
		return "one of " + joinRaw(s.enum, ", ")
	}
	var names []string
	for _, t := range s.types {
		names = append(names, articles[t])
	}
	for _, alt := range s.oneOf {
		if name := alt.follow().wants(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "a value"
	}
	return strings.Join(names, " or ")
}

var articles = map[string]string{
	"string": "a string", "integer": "an integer", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object", "null": "null",
}

func joinRaw(vs []json.RawMessage, sep string) string {
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteString(sep)
		}
		b.Write(v)
	}
	return b.String()
}
