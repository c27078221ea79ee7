package parse

import (
	"slices"

	"github.com/tidwall/gjson"
)

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
