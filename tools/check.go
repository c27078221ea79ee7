package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// A problem is one thing wrong with the arguments of a call.
type problem struct {
	path  string // of the argument; "": all of them
	fault fault
	text  string // what is wanted and what was given, for the model
}

// fault is the kind of a [problem]. Together with the path it tells whether
// the same mistake was made again.
type fault string

const (
	faultSyntax    fault = "syntax"
	faultMissing   fault = "missing"
	faultUnknown   fault = "unknown"
	faultDuplicate fault = "duplicate"
	faultType      fault = "type"
	faultEnum      fault = "enum"
	faultRange     fault = "range"
	faultLength    fault = "length"
	faultRule      fault = "rule" // anything else the schema says
	faultCost      fault = "cost" // it cannot be told in a sane time
)

// maxProblems bounds what one answer complains about.
const maxProblems = 6

// A checker collects what is wrong with arguments.
type checker struct {
	problems []problem
	quick    bool // one problem is enough
	tried    map[trial]bool
}

// full says that nothing more is complained about.
func (c *checker) full() bool {
	return len(c.problems) == maxProblems || c.quick && len(c.problems) > 0
}

func (c *checker) add(path string, f fault, format string, args ...any) {
	if !c.full() {
		c.problems = append(c.problems, problem{path, f, fmt.Sprintf(format, args...)})
	}
}

// Validate returns what is wrong with a JSON value, nil if it fits.
func (s *Schema) Validate(value json.RawMessage) error {
	value = skipSpace(value)
	if bad := notJSON(value); bad != nil {
		return errors.New(bad.text)
	}
	if bad := s.costly(value); bad != nil {
		return errors.New(bad.text)
	}
	return s.validate(value)
}

// check returns what is wrong with args, an object.
func (s *Schema) check(args json.RawMessage) []problem {
	var c checker
	c.value(s.schema, args, "")
	if len(c.problems) > 0 {
		return c.problems
	}
	if bad := s.costly(args); bad != nil {
		return []problem{*bad}
	}
	if err := s.validate(args); err != nil {
		return []problem{ruleProblem(err)}
	}
	return nil
}

// validate asks the validator. It panics on some schemas that it accepted:
// users declare them in files, so that must not end the program.
func (s *Schema) validate(value json.RawMessage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the schema cannot be used: %v", p)
		}
	}()
	return s.resolved.Validate(instance(value))
}

func (c *checker) value(s *schema, raw json.RawMessage, path string) {
	s = s.follow()
	switch {
	case !fitsType(s, raw):
		c.add(path, faultType, "must be %s, got %s", s.wants(), describe(raw))
		return
	case len(s.enum) > 0 && !s.lists(raw):
		c.add(path, faultEnum, "must be %s, got %s", s.wants(), describe(raw))
		return
	case len(s.oneOf) > 0:
		c.alternatives(s, raw, path)
	}
	switch kindOf(raw) {
	case kindNumber:
		c.number(s, raw, path)
	case kindString:
		if s.length != unlimited {
			c.length(s.length, utf8.RuneCountInString(unquote(raw)), "character", path)
		}
	case kindArray:
		c.list(s, raw, path)
	case kindObject:
		c.object(s, raw, path)
	}
}

// alternatives complains when no alternative fits: of the only one whose type
// does, else of all of them.
func (c *checker) alternatives(s *schema, raw json.RawMessage, path string) {
	var near []*schema
	for _, alt := range s.oneOf {
		if c.fits(alt, raw) {
			return
		}
		if fitsType(alt.follow(), raw) {
			near = append(near, alt)
		}
	}
	if len(near) == 1 {
		c.value(near[0], raw, path)
	} else {
		c.add(path, faultType, "must be %s, got %s", s.wants(), describe(raw))
	}
}

// A trial is a value that was held against a schema.
type trial struct {
	schema *schema
	value  *byte // the first one
}

// fits reports whether nothing is wrong with a value. It remembers what it found:
// alternatives within alternatives hold the same value against the same schema
// again and again.
func (c *checker) fits(s *schema, raw json.RawMessage) bool {
	at := trial{s.follow(), &raw[0]}
	ok, known := c.tried[at]
	if !known {
		if c.tried == nil {
			c.tried = map[trial]bool{}
		}
		inner := checker{quick: true, tried: c.tried}
		inner.value(s, raw, "")
		ok = len(inner.problems) == 0
		c.tried[at] = ok
	}
	return ok
}

// lists reports whether raw is an entry of the enum.
func (s *schema) lists(raw json.RawMessage) bool {
	for _, e := range s.enum {
		if jsonschema.Equal(instance(e), instance(raw)) {
			return true
		}
	}
	return false
}

func (c *checker) number(s *schema, raw json.RawMessage, path string) {
	if b := s.min; b.text != "" {
		if n := compare(string(raw), b.text); n < 0 || n == 0 && b.exclusive {
			c.add(path, faultRange, "must be %s %s, got %s", pick(b.exclusive, "more than", "at least"), b.text, brief(raw))
		}
	}
	if b := s.max; b.text != "" {
		if n := compare(string(raw), b.text); n > 0 || n == 0 && b.exclusive {
			c.add(path, faultRange, "must be %s %s, got %s", pick(b.exclusive, "less than", "at most"), b.text, brief(raw))
		}
	}
	if s.step != "" && !isMultiple(string(raw), s.step) {
		c.add(path, faultRange, "must be a multiple of %s, got %s", s.step, brief(raw))
	}
}

// isMultiple reports whether n is a whole multiple of step, as far as that can
// be told of numbers of a sane length.
func isMultiple(n, step string) bool {
	x, okX := exactly(n)
	y, okY := exactly(step)
	return !okX || !okY || y.Sign() == 0 || x.Quo(x, y).IsInt()
}

// compare compares two JSON numbers. The precision is far beyond float64, yet
// bounded, whatever the exponent.
func compare(a, b string) int {
	x, _, errX := big.ParseFloat(a, 10, 512, big.ToNearestEven)
	y, _, errY := big.ParseFloat(b, 10, 512, big.ToNearestEven)
	if errX != nil || errY != nil {
		return 0 // out of any range: left to the validator
	}
	return x.Cmp(y)
}

func (c *checker) length(s span, n int, unit, path string) {
	switch {
	case n < s.min:
		c.add(path, faultLength, "must have at least %s, got %d", plural(s.min, unit), n)
	case s.max >= 0 && n > s.max:
		c.add(path, faultLength, "must have at most %s, got %d", plural(s.max, unit), n)
	}
}

func (c *checker) list(s *schema, raw json.RawMessage, path string) {
	vs := items(raw)
	c.length(s.count, len(vs), "item", path)
	if s.items == nil {
		return
	}
	for i, v := range vs {
		if c.full() {
			return
		}
		c.value(s.items, v, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (c *checker) object(s *schema, raw json.RawMessage, path string) {
	given := members(raw)
	seen := make(map[string]bool, len(given))
	for _, m := range given {
		if c.full() {
			return
		}
		at := joinPath(path, m.key)
		if seen[m.key] {
			c.add(at, faultDuplicate, "given twice")
			continue
		}
		seen[m.key] = true
		switch p := s.property(m.key); {
		case p != nil:
			c.value(p.schema, m.value, at)
		case s.closed:
			c.add(at, faultUnknown, "no such argument%s", s.hint(m.key, given))
		case s.extra != nil:
			c.value(s.extra, m.value, at)
		}
	}
	for _, p := range s.props {
		if p.required && !seen[p.name] {
			c.add(joinPath(path, p.name), faultMissing, "missing; must be %s", p.schema.follow().wants())
		}
	}
	for _, name := range s.needs {
		if !seen[name] {
			c.add(joinPath(path, name), faultMissing, "missing")
		}
	}
}

// hint tells what an unknown key may have meant.
func (s *schema) hint(key string, given []member) string {
	if name := s.meant(key, given); name != "" {
		return "; did you mean " + name + "?"
	}
	if len(s.props) == 0 {
		return "; it takes none"
	}
	names := make([]string, len(s.props))
	for i, p := range s.props {
		names[i] = p.name
	}
	return "; there are: " + list(names)
}

// meant returns the argument that an unknown key probably is: one that is
// written much like it, or the only one missing if no other key is unknown.
func (s *schema) meant(key string, given []member) string {
	var free, missing []string
	for _, p := range s.props {
		if !has(given, p.name) {
			free = append(free, p.name)
			if p.required {
				missing = append(missing, p.name)
			}
		}
	}
	if like := suggest(key, free, 1); len(like) > 0 {
		return like[0]
	}
	unknown := 0
	for _, m := range given {
		if s.property(m.key) == nil {
			unknown++
		}
	}
	if unknown == 1 && len(missing) == 1 {
		return missing[0]
	}
	return ""
}

var pointerRE = lazily(`validating (/\S*|root|<anonymous schema>): `)

// ruleProblem turns an error of the validator into a problem. Its text is made
// for programmers: a chain of schema places and a keyword.
func ruleProblem(err error) problem {
	text := err.Error()
	path := ""
	for _, m := range pointerRE().FindAllStringSubmatchIndex(text, -1) {
		path = argumentPath(text[m[2]:m[3]])
	}
	text = pointerRE().ReplaceAllString(text, "")
	return problem{path, faultRule, "breaks a rule: " + clip(text, 200)}
}

// argumentPath turns /properties/a/items/properties/b into a.b.
func argumentPath(pointer string) string {
	var path string
	parts := strings.Split(pointer, "/")
	for i := 1; i+1 < len(parts); i++ {
		if parts[i] == "properties" {
			path = joinPath(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i+1]))
			i++
		}
	}
	return path
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
