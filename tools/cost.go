package tools

import "encoding/json"

// Where a schema has alternatives, or refers to itself, the validator holds the
// same part of a value against the same schemas again and again: twenty kinds of
// node that may each hold any of the twenty are 20 to the power of the depth. So
// its work is counted before it begins, which takes a look at each pair of a
// schema and a part of the value.
const (
	maxCost   = 64 << 20 // of a check: a second, with all the errors it makes on its way
	costOfOne = 256      // of holding a value against a schema, beside the bytes of the value
)

// costly says that a check of value would take too long, and because of what
// part of it.
func (s *Schema) costly(value json.RawMessage) *problem {
	var c costs
	if s.plain || c.of(s.schema, value) < maxCost {
		return nil
	}
	most, path := 0, ""
	if kindOf(value) == kindObject {
		for _, m := range members(value) {
			if n := c.member(s.schema, m); n > most {
				most, path = n, m.key
			}
		}
	}
	return &problem{path, faultCost, "cannot be checked: the alternatives of its schema are too many for a value that nests so deep; give a simpler one"}
}

// costs is what each check of a value would cost, at most [maxCost].
type costs map[trial]int

func (c *costs) of(s *schema, raw json.RawMessage) int {
	at := trial{s, &raw[0]}
	if n, known := (*c)[at]; known {
		return n
	}
	if *c == nil {
		*c = costs{}
	}
	n := costOfOne + len(raw)
	for _, in := range s.same() {
		n += c.of(in, raw)
	}
	switch kindOf(raw) {
	case kindObject:
		for _, m := range members(raw) {
			n = min(n+c.member(s, m), maxCost)
		}
	case kindArray:
		for _, v := range items(raw) {
			n = min(n+c.part(s, s.items, v), maxCost)
		}
	}
	n = min(n, maxCost)
	(*c)[at] = n
	return n
}

// member is the cost of a member of an object that is held against s.
func (c *costs) member(s *schema, m member) int {
	if p := s.property(m.key); p != nil {
		return c.part(s, p.schema, m.value)
	}
	return c.part(s, s.extra, m.value)
}

// part is the cost of a part of a value that is held against s: by the schema
// that is made for it, if there is one, and by those that may be.
func (c *costs) part(s, made *schema, raw json.RawMessage) int {
	n := 0
	if made != nil {
		n = c.of(made, raw)
	}
	for _, in := range s.inside {
		n += c.of(in, raw)
	}
	return n
}
