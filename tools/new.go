package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// New makes a tool from a Go function. Parameters, unless t has them, is the
// schema of the struct In, read from its fields:
//
//	type weatherArgs struct {
//		City string   `json:"city" jsonschema:"name of the city" example:"Oslo"`
//		Unit string   `json:"unit,omitempty" enum:"celsius,fahrenheit" default:"celsius"`
//		Days int      `json:"days,omitempty" jsonschema:"how far ahead" min:"1" max:"14" default:"1"`
//		Tags []string `json:"tags,omitempty" max:"5"`
//	}
//
// The json tag gives the name; a field without omitempty or omitzero is
// required. jsonschema is the description. enum lists what is allowed, of a
// list for its elements. min and max limit a number, the characters of a
// string, the elements of a list. pattern is a regular expression. default is
// set when the argument is not given, at every depth. example is used when a
// wrong call is answered with a right one. Values in tags are JSON, apart from
// strings, which stand bare. A [json.RawMessage] takes any JSON, a type that
// reads itself from text a string.
//
// A field without an argument and without a default has its zero value.
// Arguments that do not fit are answered before f is called. f may return a
// [Result] to say more than a value can. New panics when In is not a struct or
// a tag cannot be read: a programmer's mistake.
func New[In, Out any](t Tool, f func(ctx context.Context, c Call, in In) (Out, error)) *Tool {
	inferred := t.Parameters == nil
	if inferred {
		var err error
		if t.Parameters, err = infer(reflect.TypeFor[In]()); err != nil {
			panic(fmt.Sprintf("tools: arguments of %s: %v", t.Name, err))
		}
	}
	schema, err := compile(t.Parameters, inferred)
	if err != nil {
		panic(fmt.Sprintf("tools: parameters of %s: %v", t.Name, err))
	}
	e := &entry{&t, schema}
	t.Run = func(ctx context.Context, c Call) (any, error) {
		var in In
		if bad := e.decode(c.Args, &in); bad != nil {
			return e.invalid(c, c.Args, []problem{*bad}), nil
		}
		out, err := f(ctx, c, in)
		if err != nil && reflect.ValueOf(&out).Elem().IsZero() {
			return nil, err
		}
		return out, err
	}
	return &t
}

// decode reads checked arguments, and the defaults of those not given, into
// the struct.
func (e *entry) decode(args json.RawMessage, in any) *problem {
	filled := e.schema.filled(args)
	err := json.Unmarshal(filled, in)
	var typeError *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typeError):
		return &problem{typeError.Field, faultRange, fmt.Sprintf("%s does not fit %s", typeError.Value, typeError.Type)}
	}
	return &problem{unread(filled, in), faultRule, clip(err.Error(), 200)}
}

// unread is the argument that a type's own method does not read; its error does
// not say which.
func unread(args json.RawMessage, in any) string {
	for _, m := range members(args) {
		alone := reflect.New(reflect.TypeOf(in).Elem()).Interface()
		if json.Unmarshal(appendObject(nil, []member{m}), alone) != nil {
			return m.key
		}
	}
	return ""
}

// filled is a value with the defaults of what is not given in it.
func (s *schema) filled(raw json.RawMessage) json.RawMessage {
	s = s.follow()
	changed := false
	fill := func(in *schema, v json.RawMessage) json.RawMessage {
		out := in.filled(v)
		changed = changed || !same(out, v)
		return out
	}
	switch kindOf(raw) {
	case kindObject:
		ms := members(raw)
		for i, m := range ms {
			if p := s.property(m.key); p != nil {
				ms[i].value = fill(p.schema, m.value)
			} else if s.extra != nil {
				ms[i].value = fill(s.extra, m.value)
			}
		}
		for _, p := range s.props {
			if d := p.schema.follow().def; d != nil && !has(ms, p.name) {
				ms, changed = append(ms, member{p.name, d}), true
			}
		}
		if changed {
			return appendObject(nil, ms)
		}
	case kindArray:
		if s.items == nil {
			return raw
		}
		vs := items(raw)
		for i, v := range vs {
			vs[i] = fill(s.items, v)
		}
		if changed {
			return appendArray(nil, vs)
		}
	}
	return raw
}

// infer makes the schema of a Go type.
func infer(t reflect.Type) (json.RawMessage, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: ownSchemas(t)})
	if err != nil {
		return nil, err
	}
	if err := annotate(s, t); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(s)
	return unescapeHTML(raw), err
}

// ownSchemas are the schemas of types within t that take something else than
// their kind says: any JSON, a number with all its digits, or a string, as those
// that read themselves from text.
func ownSchemas(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	own := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[big.Int]():         {Type: "integer"},
	}
	seen := map[reflect.Type]bool{t: true}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		p := reflect.PointerTo(t)
		if t.Kind() != reflect.Pointer && p.Implements(textUnmarshalerType) && !p.Implements(unmarshalerType) {
			own[t] = &jsonschema.Schema{Type: "string"}
			return
		}
		walkParts(t, walk)
	}
	walkParts(t, walk)
	return own
}

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// walkParts calls f with the types of the parts of a t. An embedded struct is
// none: its fields are.
func walkParts(t reflect.Type, f func(reflect.Type)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		f(t.Elem())
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if !field.Anonymous && fieldName(field) != "" {
				f(field.Type)
			}
		}
	}
}

// unescapeHTML undoes what json.Marshal does to <, > and &: a model reads the
// schema. An escaped backslash is taken as a whole, so that what follows it is
// not mistaken for an escape.
func unescapeHTML(raw []byte) []byte {
	return []byte(strings.NewReplacer(`\\`, `\\`, `\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`).Replace(string(raw)))
}

// annotate adds to the schema of a Go type what its field tags say. A list or
// a map that may be null in Go may not be null here: models leave out what they
// do not mean.
func annotate(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	dropNull(s)
	switch {
	case s.Items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return annotate(s.Items, t.Elem())
	case s.AdditionalProperties != nil && t.Kind() == reflect.Map:
		return annotate(s.AdditionalProperties, t.Elem())
	case len(s.Properties) == 0 || t.Kind() != reflect.Struct:
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		p := s.Properties[fieldName(f)]
		if p == nil || f.Anonymous {
			continue
		}
		if err := annotate(p, f.Type); err != nil {
			return err
		}
		if err := annotateField(p, f.Tag); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

func dropNull(s *jsonschema.Schema) {
	switch {
	case len(s.Types) == 2 && s.Types[0] == "null":
		s.Type, s.Types = s.Types[1], nil
	case len(s.Types) == 1 && s.Types[0] == "null": // a pointer to what may be anything
		s.Types = nil
	}
}

// fieldName is the name of a field in JSON, "" when it has none.
func fieldName(f reflect.StructField) string {
	tag := f.Tag.Get("json")
	name, _, _ := strings.Cut(tag, ",")
	if tag == "-" || !f.IsExported() {
		return ""
	}
	return cmp.Or(name, f.Name)
}

// annotateField applies the tags of one field.
func annotateField(s *jsonschema.Schema, tag reflect.StructTag) error {
	s.Pattern = tag.Get("pattern")
	return errors.Join(
		limits{&s.Minimum, &s.MinLength, &s.MinItems}.set(s.Type, "min", tag),
		limits{&s.Maximum, &s.MaxLength, &s.MaxItems}.set(s.Type, "max", tag),
		setEnum(s, tag),
		setValue(s, "example", tag, func(v json.RawMessage) { s.Examples = []any{v} }),
		setValue(s, "default", tag, func(v json.RawMessage) { s.Default = v }),
	)
}

// limits are the places of one limit: for a number, a string and a list.
type limits struct {
	number **float64
	length **int
	count  **int
}

func (l limits) set(typ, key string, tag reflect.StructTag) error {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	n := int(f)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", key, err)
	case typ == "integer" || typ == "number":
		*l.number = &f
	case float64(n) != f || n < 0:
		return fmt.Errorf("%s: %s is no length", key, text)
	case typ == "string":
		*l.length = &n
	case typ == "array":
		*l.count = &n
	default:
		return fmt.Errorf("%s is for numbers, strings and lists", key)
	}
	return nil
}

// setEnum lists what is allowed, of a list for its elements.
func setEnum(s *jsonschema.Schema, tag reflect.StructTag) error {
	text, ok := tag.Lookup("enum")
	if !ok {
		return nil
	}
	if s.Items != nil {
		s = s.Items
	}
	for word := range strings.SplitSeq(text, ",") {
		v, err := tagValue(s, word)
		if err != nil {
			return fmt.Errorf("enum: %w", err)
		}
		s.Enum = append(s.Enum, v)
	}
	return nil
}

func setValue(s *jsonschema.Schema, key string, tag reflect.StructTag, set func(json.RawMessage)) error {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	v, err := tagValue(s, text)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	set(v)
	return nil
}

// tagValue reads a value of a tag: bare text for a string, else JSON.
func tagValue(s *jsonschema.Schema, text string) (json.RawMessage, error) {
	if s.Type == "string" {
		return appendQuoted(nil, text), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("%q is not JSON", text)
	}
	return bytes.TrimSpace([]byte(text)), nil
}
