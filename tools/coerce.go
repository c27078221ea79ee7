package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// A coercer respells arguments so that they fit. The table of what it does is in
// the package comment.
type coercer struct {
	done  []string // what was converted
	tried map[trial]respelling
	left  *int  // bytes that alternatives may still be tried on
	alone *byte // the value that was just made a list of one
}

// newCoercer returns a coercer for args. It tries alternatives within reason: a
// converted value is a new one, to be converted in all ways again.
func newCoercer(args json.RawMessage) *coercer {
	left := 1<<20 + 64*len(args)
	return &coercer{tried: map[trial]respelling{}, left: &left}
}

// value returns raw as it fits s, or raw itself.
func (c *coercer) value(s *schema, raw json.RawMessage, path string) json.RawMessage {
	s = s.follow()
	if len(s.oneOf) > 0 {
		return c.alternative(s, raw, path)
	}
	k := kindOf(raw)
	if !fitsType(s, raw) {
		out, ok := convert(s, raw)
		if !ok {
			return raw
		}
		if kindOf(out) == kindArray && bytes.Equal(out[1:len(out)-1], raw) {
			if c.alone == &raw[0] {
				return raw // there would be no end to lists of lists
			}
			c.alone = &out[1]
		}
		c.note(path, raw, out)
		raw, k = out, kindOf(out)
	}
	switch k {
	case kindObject:
		return c.object(s, raw, path)
	case kindArray:
		return c.list(s, raw, path)
	case kindString:
		return c.enum(s, raw, path)
	}
	return raw
}

func (c *coercer) note(path string, from, to json.RawMessage) {
	c.done = append(c.done, fmt.Sprintf("%s: %s read as %s", path, brief(from), brief(to)))
}

// A respelling is what became of a value, and what was converted.
type respelling struct {
	value json.RawMessage
	done  []string
}

// alternative coerces a value that may be of several kinds. What came of it is
// remembered: alternatives within alternatives ask for the same again and again.
func (c *coercer) alternative(s *schema, raw json.RawMessage, path string) json.RawMessage {
	at := trial{s, &raw[0]}
	r, known := c.tried[at]
	if !known {
		r = c.choose(s, raw, path)
		c.tried[at] = r
	}
	c.done = append(c.done, r.done...)
	return r.value
}

// choose leaves alone what fits one of the alternatives. Else it coerces within
// the only one whose type fits, or to the only one that raw can be converted to.
func (c *coercer) choose(s *schema, raw json.RawMessage, path string) respelling {
	var near []*schema
	for _, alt := range s.oneOf {
		if fits(alt, raw) {
			return respelling{value: raw}
		}
		if fitsType(alt.follow(), raw) {
			near = append(near, alt)
		}
	}
	if len(near) == 1 {
		return c.within(near[0], raw, path)
	}
	only := respelling{value: raw}
	for _, alt := range s.oneOf {
		if *c.left -= len(raw) + costOfOne; *c.left < 0 {
			return respelling{value: raw}
		}
		r := c.within(alt, raw, path)
		switch {
		case len(r.done) == 0 || !fits(alt, r.value):
		case only.done != nil:
			return respelling{value: raw}
		default:
			only = r
		}
	}
	return only
}

// within coerces raw by one alternative.
func (c *coercer) within(alt *schema, raw json.RawMessage, path string) respelling {
	try := coercer{tried: c.tried, left: c.left, alone: c.alone}
	value := try.value(alt, raw, path)
	return respelling{value, try.done}
}

// fits reports whether nothing is wrong with raw as far as this package reads
// schemas.
func fits(s *schema, raw json.RawMessage) bool {
	var c checker
	return c.fits(s, raw)
}

func (c *coercer) object(s *schema, raw json.RawMessage, path string) json.RawMessage {
	if len(s.props) == 0 && s.extra == nil {
		return raw
	}
	given := members(raw)
	once := spellings(given)
	out := make([]member, 0, len(given))
	changed := false
	for _, m := range given {
		name := s.spelled(m.key, once)
		if name != m.key {
			c.done = append(c.done, fmt.Sprintf("%s read as %s", joinPath(path, m.key), name))
		}
		p := s.property(name)
		if s.absent(p, m.value) {
			c.done = append(c.done, joinPath(path, name)+": null left out")
			changed = true
			continue
		}
		v := m.value
		switch {
		case p != nil:
			v = c.value(p.schema, v, joinPath(path, name))
		case s.extra != nil && !s.closed:
			v = c.value(s.extra, v, joinPath(path, name))
		}
		changed = changed || name != m.key || !same(v, m.value)
		out = append(out, member{name, v})
	}
	if !changed {
		return raw
	}
	return appendObject(nil, out)
}

// absent reports whether a null stands for an argument that was not given: it
// is optional or unknown and null does not fit.
func (s *schema) absent(p *property, v json.RawMessage) bool {
	if kindOf(v) != kindNull {
		return false
	}
	if p == nil {
		return s.closed
	}
	return !p.required && !p.schema.takesNull()
}

// takesNull reports whether null fits.
func (s *schema) takesNull() bool {
	s = s.follow()
	for _, e := range s.enum {
		if kindOf(e) == kindNull {
			return true
		}
	}
	for _, alt := range s.oneOf {
		if alt.takesNull() { // ends: see endless
			return true
		}
	}
	return len(s.enum) == 0 && len(s.oneOf) == 0 && s.allows(kindNull)
}

// spelled returns the declared name that key means: itself, or the one name
// that differs only in case, hyphens and underscores, if key is the only
// spelling of it that is given.
func (s *schema) spelled(key string, once map[string]string) string {
	folded := fold(key)
	if !s.closed && s.extra != nil || s.property(key) != nil || once[folded] != key {
		return key
	}
	found := ""
	for _, p := range s.props {
		if fold(p.name) != folded {
			continue
		}
		if found != "" {
			return key
		}
		found = p.name
	}
	return cmp.Or(found, key)
}

// spellings is how each name, folded, is given; "" if in several ways.
func spellings(given []member) map[string]string {
	once := make(map[string]string, len(given))
	for _, m := range given {
		folded := fold(m.key)
		if other, ok := once[folded]; ok && other != m.key {
			once[folded] = ""
		} else {
			once[folded] = m.key
		}
	}
	return once
}

func has(ms []member, key string) bool {
	for _, m := range ms {
		if m.key == key {
			return true
		}
	}
	return false
}

// fold is what is left of a name without case, hyphens, underscores and the
// backslashes that escape them in Markdown.
func fold(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("_", "", "-", "", "\\", "")

func (c *coercer) list(s *schema, raw json.RawMessage, path string) json.RawMessage {
	if s.items == nil {
		return raw
	}
	vs := items(raw)
	changed := false
	for i, v := range vs {
		vs[i] = c.value(s.items, v, fmt.Sprintf("%s[%d]", path, i))
		changed = changed || !same(vs[i], v)
	}
	if !changed {
		return raw
	}
	return appendArray(nil, vs)
}

// enum returns the entry that raw spells in another case.
func (c *coercer) enum(s *schema, raw json.RawMessage, path string) json.RawMessage {
	if len(s.enum) == 0 {
		return raw
	}
	text := unquote(raw)
	var found json.RawMessage
	for _, e := range s.enum {
		if kindOf(e) != kindString {
			continue
		}
		switch entry := unquote(e); {
		case entry == text:
			return raw
		case !strings.EqualFold(entry, strings.TrimSpace(text)):
		case found != nil:
			return raw
		default:
			found = e
		}
	}
	if found == nil {
		return raw
	}
	c.note(path, raw, found)
	return found
}

// fitsType reports whether the type of raw, as it is written, is one that s
// allows. An integer written 5.0 is one by the letter, but not what programs
// read, so it counts as misspelled.
func fitsType(s *schema, raw json.RawMessage) bool {
	k := kindOf(raw)
	if len(s.types) == 0 {
		return true
	}
	for _, t := range s.types {
		if t == k.name() || t == "integer" && k == kindNumber && isInteger(raw) {
			return true
		}
	}
	return false
}

func isInteger(raw []byte) bool { return !strings.ContainsAny(string(raw), ".eE") }

// convert respells raw as one of the types of s.
func convert(s *schema, raw json.RawMessage) (json.RawMessage, bool) {
	for _, t := range s.types {
		if out, ok := convertTo(t, s, raw); ok {
			return out, true
		}
	}
	return nil, false
}

func convertTo(t string, s *schema, raw json.RawMessage) (json.RawMessage, bool) {
	k := kindOf(raw)
	if k == kindArray && t != "object" {
		one := items(raw)
		if len(one) != 1 || kindOf(one[0]) == kindArray || kindOf(one[0]) == kindNull {
			return nil, false
		}
		raw, k = one[0], kindOf(one[0])
		if k.name() == t && t != "number" {
			return raw, true
		}
	}
	switch t {
	case "integer":
		return toInteger(numberText(raw))
	case "number":
		text := numberText(raw)
		return json.RawMessage(text), text != ""
	case "boolean":
		return toBoolean(raw)
	case "string":
		if k == kindNumber {
			return json.RawMessage(`"` + string(raw) + `"`), true
		}
	case "array":
		return toArray(s, raw)
	case "object":
		return held(raw, kindObject)
	}
	return nil, false
}

// numberText returns the JSON number that raw is or holds as text, or "".
func numberText(raw json.RawMessage) string {
	switch kindOf(raw) {
	case kindNumber:
		return string(raw)
	case kindString:
		text := strings.TrimSpace(unquote(raw))
		if text != "" && json.Valid([]byte(text)) && kindOf([]byte(text)) == kindNumber {
			return text
		}
	}
	return ""
}

// toInteger writes a whole number without point and exponent.
func toInteger(text string) (json.RawMessage, bool) {
	if text == "" {
		return nil, false
	}
	if isInteger([]byte(text)) {
		return json.RawMessage(text), true
	}
	r, ok := exactly(text)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return json.RawMessage(r.Num().String()), true
}

// maxExponent bounds the numbers that are written out.
const maxExponent = 40

// exactly reads a number without rounding, unless its exponent is so large
// that the digits would take up memory.
func exactly(text string) (*big.Rat, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, err := strconv.Atoi(text[i+1:])
		if err != nil || exp > maxExponent || exp < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

func toBoolean(raw json.RawMessage) (json.RawMessage, bool) {
	if kindOf(raw) != kindString {
		return nil, false
	}
	switch strings.ToLower(strings.TrimSpace(unquote(raw))) {
	case "true":
		return json.RawMessage("true"), true
	case "false":
		return json.RawMessage("false"), true
	}
	return nil, false
}

// toArray reads a list out of text, or makes a list of a single value. Text
// for a list of strings is a list only if it holds nothing but strings: a
// pattern such as [1] is a string of its own.
func toArray(s *schema, raw json.RawMessage) (json.RawMessage, bool) {
	element := anySchema
	if s.items != nil {
		element = s.items.follow()
	}
	if list, ok := held(raw, kindArray); ok {
		for _, v := range items(list) {
			if !fitsType(element, v) {
				list = nil
				break
			}
		}
		if list != nil {
			return list, true
		}
	}
	if kindOf(raw) == kindNull {
		return nil, false
	}
	fits := fitsType(element, raw)
	for _, t := range element.types {
		if !fits && t != "array" { // a value is wrapped once
			_, fits = convertTo(t, element, raw)
		}
	}
	return appendArray(nil, []json.RawMessage{raw}), fits
}

// held returns the value of kind k that a string holds as JSON text.
func held(raw json.RawMessage, k kind) (json.RawMessage, bool) {
	if kindOf(raw) != kindString {
		return nil, false
	}
	text := []byte(strings.TrimSpace(unquote(raw)))
	if len(text) == 0 || kindOf(text) != k || !json.Valid(text) || tooDeep(text) {
		return nil, false
	}
	return text, true
}

func same(a, b json.RawMessage) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func appendObject(dst []byte, ms []member) []byte {
	dst = append(dst, '{')
	for i, m := range ms {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, m.key), ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

func appendArray(dst []byte, vs []json.RawMessage) []byte {
	dst = append(dst, '[')
	for i, v := range vs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}
