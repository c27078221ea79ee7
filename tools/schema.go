package tools

import (
	"encoding/json"
	"errors"
	"fmt"
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
	extra    *schema // of other properties; nil: any
	closed   bool    // no other properties
	items    *schema
	enum     []json.RawMessage
	oneOf    []*schema // anyOf and oneOf
	also     []*schema // what else the same value is held against
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

// compile reads the schema of arguments. nil is any object. If strict, defaults
// have to fit; schemas of others often have some that do not.
func compile(raw json.RawMessage, strict bool) (*schema, *jsonschema.Resolved, error) {
	if raw == nil {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	var js jsonschema.Schema
	if err := json.Unmarshal(raw, &js); err != nil {
		return nil, nil, err
	}
	if js.Type != "object" {
		return nil, nil, errors.New(`want a schema whose type is "object"`)
	}
	if tooDeep(raw) {
		return nil, nil, fmt.Errorf("nests deeper than %d", maxNesting)
	}
	resolved, err := js.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: strict})
	if err != nil {
		return nil, nil, err
	}
	s, err := readSchema(raw)
	return s, resolved, err
}

// readSchema reads a schema that the validator accepted.
func readSchema(raw json.RawMessage) (*schema, error) {
	var r schemaReader
	root := r.schema(raw)
	defs := r.definitions(raw)
	defs["#"] = root
	for _, s := range r.all {
		s.target = defs[s.ref]
	}
	for _, s := range r.all {
		if s.endless(nil) {
			return nil, fmt.Errorf("the reference %q leads back to itself", s.ref)
		}
	}
	return root, nil
}

// A schemaReader reads a schema and remembers all parts of it.
type schemaReader struct{ all []*schema }

// definitions returns what a reference of the schema can name, the schema
// itself apart. Other targets are known to the validator alone.
func (r *schemaReader) definitions(raw json.RawMessage) map[string]*schema {
	defs := map[string]*schema{}
	if kindOf(raw) != kindObject {
		return defs
	}
	for _, m := range members(raw) {
		if (m.key == "$defs" || m.key == "definitions") && kindOf(m.value) == kindObject {
			for _, d := range members(m.value) {
				defs["#/"+m.key+"/"+d.key] = r.schema(d.value)
			}
		}
	}
	return defs
}

// endless reports whether holding a value against s would never end: a schema
// that refers to itself without going into the value.
func (s *schema) endless(path []*schema) bool {
	if s == nil {
		return false
	}
	if slices.Contains(path, s) {
		return true
	}
	path = append(path, s)
	for _, in := range slices.Concat(s.oneOf, s.also, []*schema{s.target}) {
		if in.endless(path) {
			return true
		}
	}
	return false
}

func (r *schemaReader) schema(raw json.RawMessage) *schema {
	s := &schema{raw: raw, length: unlimited, count: unlimited}
	r.all = append(r.all, s)
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
	for i := range s.props {
		s.props[i].required = slices.Contains(required, s.props[i].name)
	}
	return s
}

// keyword reads one keyword. The types of the values are right, but any may be
// null, which is as good as absent.
func (r *schemaReader) keyword(s *schema, key string, v json.RawMessage) {
	if kindOf(v) == kindNull && key != "const" && key != "default" {
		return
	}
	switch key {
	case "type":
		s.types = stringsOf(v)
	case "properties":
		for _, m := range members(v) {
			s.props = append(s.props, property{name: m.key, schema: r.schema(m.value)})
		}
	case "additionalProperties":
		s.extra = r.schema(v)
		s.closed = s.extra.rejects()
	case "items":
		if kindOf(v) != kindArray {
			s.items = r.schema(v)
		}
	case "enum":
		s.enum = items(v)
	case "const":
		s.enum = []json.RawMessage{v}
	case "anyOf", "oneOf":
		for _, alt := range items(v) {
			s.oneOf = append(s.oneOf, r.schema(alt))
		}
	case "allOf":
		for _, part := range items(v) {
			s.also = append(s.also, r.schema(part))
		}
	case "not", "if", "then", "else":
		s.also = append(s.also, r.schema(v))
	case "$ref":
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
