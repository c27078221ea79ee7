package tools

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// maxShown bounds the values that an example repeats.
const maxShown = 200

// example returns correct arguments that keep what was right in the given
// ones. There is none when a rule cannot be met by guessing.
func (e *entry) example(given json.RawMessage, problems []problem) (json.RawMessage, bool) {
	wrong := map[string]bool{}
	for _, p := range problems {
		if p.path == "" {
			return e.sample(false)
		}
		top, _, _ := strings.Cut(p.path, ".")
		top, _, _ = strings.Cut(top, "[")
		wrong[top] = true
	}
	kept := map[string]json.RawMessage{}
	all := members(given)
	for _, m := range all {
		switch {
		case len(m.value) > maxShown:
		case !wrong[m.key]:
			kept[m.key] = m.value
		case e.schema.property(m.key) == nil:
			delete(wrong, m.key) // once is enough, however often it is given
			e.move(m, kept, all)
		}
	}
	var out []member
	for _, p := range e.schema.props {
		if v, ok := kept[p.name]; ok {
			out = append(out, member{p.name, v})
		} else if p.required || wrong[p.name] {
			out = append(out, member{p.name, p.schema.sample(newSampling())})
		}
	}
	args := json.RawMessage(appendObject(nil, out))
	return args, len(e.check(args)) == 0
}

// move keeps the value of an unknown key under the name it probably meant. It
// is only shown: nothing runs by it.
func (e *entry) move(m member, kept map[string]json.RawMessage, given []member) {
	name := e.schema.meant(m.key, given)
	if name != "" && fits(e.schema.property(name).schema, m.value) {
		kept[name] = m.value
	}
}

// sample returns arguments made from the schema alone: the required ones, or
// all of them.
func (e *entry) sample(all bool) (json.RawMessage, bool) {
	var out []member
	for _, p := range e.schema.props {
		if p.required || all {
			out = append(out, member{p.name, p.schema.sample(newSampling())})
		}
	}
	args := json.RawMessage(appendObject(nil, out))
	return args, len(e.check(args)) == 0
}

// A sampling bounds a sample: a schema may hold itself, and in many places.
type sampling struct {
	depth int
	left  *int // values
}

func newSampling() sampling {
	left := 500
	return sampling{left: &left}
}

func (a sampling) deeper() sampling { return sampling{a.depth + 1, a.left} }

// sample returns a value that fits s as far as its type, limits and examples
// tell.
func (s *schema) sample(a sampling) json.RawMessage {
	s = s.follow()
	*a.left--
	switch {
	case len(s.examples) > 0:
		return s.examples[0]
	case s.def != nil:
		return s.def
	case len(s.enum) > 0:
		return s.enum[0]
	case len(s.oneOf) > 0:
		return s.oneOf[0].sample(a.deeper())
	case len(s.types) == 0 || a.depth > 4 || *a.left < 0:
		return json.RawMessage(`"..."`)
	}
	for _, t := range s.types {
		if t != "null" {
			return s.sampleOf(t, a)
		}
	}
	return json.RawMessage("null")
}

func (s *schema) sampleOf(t string, a sampling) json.RawMessage {
	switch t {
	case "integer", "number":
		return s.sampleNumber()
	case "boolean":
		return json.RawMessage("true")
	case "array":
		if s.items == nil {
			return json.RawMessage("[]")
		}
		vs := []json.RawMessage{s.items.sample(a.deeper())}
		for len(vs) < min(s.count.min, 10) {
			vs = append(vs, vs[0])
		}
		return appendArray(nil, vs)
	case "object":
		var out []member
		for _, p := range s.props {
			if p.required {
				out = append(out, member{p.name, p.schema.sample(a.deeper())})
			}
		}
		return appendObject(nil, out)
	}
	text := "..."
	if s.length.max >= 0 {
		text = text[:min(3, s.length.max)]
	}
	if n := s.length.min - len(text); n > 0 {
		text += strings.Repeat(".", min(n, 100))
	}
	return appendQuoted(nil, text)
}

// sampleNumber returns a number near the lower limit, else near the upper one,
// else 1.
func (s *schema) sampleNumber() json.RawMessage {
	b, step := s.min, big.NewRat(1, 1)
	if b.text == "" {
		b, step = s.max, big.NewRat(-1, 1)
	}
	r, ok := exactly(b.text)
	if !ok {
		return json.RawMessage("1")
	}
	if b.exclusive {
		r.Add(r, step)
	}
	if r.IsInt() {
		return json.RawMessage(r.Num().String())
	}
	return json.RawMessage(strings.TrimRight(r.FloatString(maxExponent), "0"))
}

// explained describes an argument for the model: type, limits, what it is for.
func (p *property) explained() string {
	s := p.schema.follow()
	parts := []string{s.wants(), pick(p.required, "required", "optional")}
	parts = append(parts, s.limits()...)
	if s.def != nil {
		parts = append(parts, "default "+brief(s.def))
	}
	text := strings.Join(parts, ", ")
	if desc := p.description(); desc != "" {
		text += "; " + clip(desc, 200)
	}
	return text
}

// description of the property; beside a reference it stands before it.
func (p *property) description() string {
	if p.schema.desc != "" {
		return p.schema.desc
	}
	return p.schema.follow().desc
}

// limits lists the limits of a value in words.
func (s *schema) limits() []string {
	var out []string
	if s.min.text != "" {
		out = append(out, pick(s.min.exclusive, "more than ", "at least ")+s.min.text)
	}
	if s.max.text != "" {
		out = append(out, pick(s.max.exclusive, "less than ", "at most ")+s.max.text)
	}
	for _, l := range []struct {
		span
		unit string
	}{{s.length, "character"}, {s.count, "item"}} {
		if l.min > 0 {
			out = append(out, "at least "+plural(l.min, l.unit))
		}
		if l.max >= 0 {
			out = append(out, "at most "+plural(l.max, l.unit))
		}
	}
	if s.pattern != "" {
		out = append(out, fmt.Sprintf("matching %s", s.pattern))
	}
	return out
}
