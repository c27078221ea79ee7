package tools

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Signature is what a prompt shows of the tool: name, parameters and the first
// line of the description.
//
//	read_file(path: string, offset?: integer = 1, limit?: integer): Read lines of a text file.
//
// An optional parameter has a question mark, an enum its values joined by |, a
// list [] behind the type of its elements. The JSON Schema of a parameter that
// is an object with properties, or a list of them, follows on a line of its own.
func (t *Tool) Signature() string {
	schema := t.shape()
	var b, nested strings.Builder
	b.WriteString(t.Name + "(")
	for i, p := range schema.props {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name + pick(p.required, ": ", "?: ") + p.schema.short())
		if d := p.schema.follow().def; d != nil && !p.required {
			b.WriteString(" = " + brief(d))
		}
		if p.schema.nested() {
			nested.WriteString("\n  " + p.name + ": " + string(compact(p.schema.follow().raw)))
		}
	}
	b.WriteString(")")
	if line, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); line != "" {
		b.WriteString(": " + line)
	}
	return b.String() + nested.String()
}

// shape reads the schema without making it ready for checks, which takes longer.
// If there is none, or one that Add refuses, it is any object.
func (t *Tool) shape() *schema {
	var types jsonschema.Schema
	if json.Unmarshal(t.Parameters, &types) == nil && !tooDeep(t.Parameters) {
		if s, err := readSchema(skipSpace(t.Parameters)); err == nil {
			return s.root
		}
	}
	return anySchema
}

// short is the type in a signature.
func (s *schema) short() string {
	s = s.follow()
	if len(s.enum) > 0 && len(s.enum) <= 12 {
		return joinRaw(s.enum, "|")
	}
	var names []string
	for _, t := range s.types {
		switch {
		case t == "array" && s.items != nil:
			names = append(names, s.items.element()+"[]")
		case t == "array":
			names = append(names, "any[]")
		default:
			names = append(names, t)
		}
	}
	for _, alt := range s.oneOf {
		names = append(names, alt.short())
	}
	if len(names) == 0 {
		return "any"
	}
	return strings.Join(names, "|")
}

// element is the type of a list's elements. A list of lists is not spelled out.
func (s *schema) element() string {
	s = s.follow()
	switch {
	case len(s.enum) > 0:
		return "(" + joinRaw(s.enum, "|") + ")"
	case len(s.types) == 1 && s.types[0] != "array":
		return s.types[0]
	}
	return "any"
}

// nested reports whether the signature cannot say what fits: an object with
// properties, alone or in a list.
func (s *schema) nested() bool {
	s = s.follow()
	if s.items != nil {
		s = s.items.follow()
	}
	return len(s.props) > 0 || s.items != nil
}
