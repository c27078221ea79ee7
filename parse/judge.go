package parse

import (
	"slices"
	"strings"
	"unsafe"
)

// place is where a candidate stands, as far as it decides what it is.
type place struct {
	hard       bool // in a hard marker
	fence      bool // in a fence that may hold calls
	maybeWhole bool // nothing but calls stands before it: it may be the whole reply
}

func (p place) marked() bool { return p.hard || p.fence }

// found is a call with what its standing depends on.
type found struct {
	call        Call
	byEnd       bool // a call only if the text ends here
	ifWhole     bool // a call only if the whole reply is calls
	orMalformed bool // and if it is not all calls, it is malformed
	expr        bool // an expression, a pair or a quoted call
	sure        bool // a call whatever else stands in the reply
	end         int  // where its candidate ends
}

// verdict is what a complete candidate is.
type verdict struct {
	calls   []found
	fault   Problem
	answer  string
	kind    verdictKind
	ifWhole bool // a fault only if the whole reply is calls
}

type verdictKind uint8

const (
	isData verdictKind = iota
	isCalls
	isFault
	isAnswer // a pseudo tool: its text is the answer
)

func faulty(reason Reason, at int, expected string) verdict {
	return verdict{kind: isFault, fault: Problem{Reason: reason, Offset: at, Expected: expected}}
}

// A judge says what canonical JSON means as a call. parts map its values to their
// places in the source.
type judge struct {
	reg   *registry
	c     string // canonical JSON; what outlives the judgement is copied
	parts []part
	outer []member // of the object that c is, if known
	span  Span     // of the whole candidate, for what has no part of its own
	place place
	text  string // the source up to here, if it is at hand

	noSchema bool // no key in c is one of a schema
	open     bool // the text ended before the last closers

	room *room // nil: all is allocated

	out   []byte // the buffer in which c stands, if a call may be given it
	given bool   // a call was
}

// room is memory for a judgement that finds a single call, which costs no allocation
// then: the fields of one shape at a time, and the call.
type room struct {
	names, args [2]field
	call        [1]found
	full        bool // call is taken
}

// one returns a list of f alone, in the room if that is free.
func (j *judge) one(f found) []found {
	if j.room == nil || j.room.full {
		return []found{f}
	}
	j.room.call[0], j.room.full = f, true
	return j.room.call[:]
}

// bigArgs is how long arguments are that are given away with the buffer they
// stand in, rather than copied.
const bigArgs = 32 << 10

// own returns args as bytes for the call to keep. Long ones are not copied: the call is
// given the buffer in which they stand, and keeps all of it alive, so they must fill
// at least half of it.
func (j *judge) own(args string) []byte {
	if len(args) < bigArgs || len(args) < cap(j.out)/2 || j.given {
		return []byte(args)
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(args))) - uintptr(unsafe.Pointer(unsafe.SliceData(j.out)))
	if at >= uintptr(len(j.out)) {
		return []byte(args) // it was put together elsewhere
	}
	j.given = true
	return j.out[at : at+uintptr(len(args)) : at+uintptr(len(args))]
}

// at is the source of the value at c[i:].
func (j *judge) at(i int) Span {
	for _, p := range j.parts {
		if p.out == i {
			return p.span
		}
	}
	return j.span
}

func (j *judge) raw(f field) string { return j.c[f.valAt:f.valEnd] }
func (j *judge) str(f field) string { return unquote(j.c[f.valAt:f.valEnd]) }

// maxWrap is how deep wrappers are unwrapped.
const maxWrap = 4

// value judges the value at c[i:].
func (j *judge) value(i, depth int) verdict {
	switch {
	case depth > maxWrap:
		return verdict{}
	case j.c[i] == '{':
		return j.object(i, depth)
	case j.c[i] == '[':
		return j.list(i, depth)
	}
	return verdict{}
}

// object judges the object at c[i:].
func (j *judge) object(i, depth int) verdict {
	var s shape
	if j.shape(&s, i); j.othersTurn(&s) {
		return verdict{}
	}
	span := j.at(i)
	tool, name, fault := j.named(&s, span)
	if fault.Reason != "" {
		return verdict{kind: isFault, fault: fault}
	}
	if tool < 0 && len(s.wraps) > 0 {
		return j.value(s.wraps[0].valAt, depth+1)
	}
	if tool < 0 && s.fields == 1 && j.holdsObject(s.first) {
		if t, exact := j.reg.lookup(s.first.key); t >= 0 {
			return j.finish(call{tool: t, exact: exact, span: span, args: j.raw(s.first), dialect: DialectJSON})
		}
	}
	if tool >= 0 {
		return j.registered(&s, tool, name, span)
	}
	if s.fields > 1 && j.text != "" && j.keyed(i) {
		return j.members(i, span)
	}
	return j.unknown(&s, span)
}

// othersTurn reports whether an object is a message that is not the model's: a turn of
// somebody else, or a result with the name of its tool.
func (j *judge) othersTurn(s *shape) bool {
	others := func(f field) bool { return f.key == "role" && j.c[f.valAt] == '"' && isOthersRole(j.str(f)) }
	// With the name of a tool under another key, the role is an argument.
	return slices.ContainsFunc(s.env, others) && !slices.ContainsFunc(s.names, func(n field) bool { return n.key != "name" })
}

// keyed reports whether each key of the object at c[i:] is a tool, and each value
// an object that may be its arguments.
func (j *judge) keyed(i int) bool {
	for m := range fields(j.c, i) {
		tool, _ := j.reg.lookup(m.key)
		if tool < 0 || j.c[m.valAt] != '{' {
			return false
		}
		if f := j.reg.of(tool); f.params != nil && !f.hasAny(j.raw(m)) {
			return false
		}
	}
	return true
}

// members judges the object at c[i:], whose members are calls. Its source begins
// at span. Where the places of the members cannot be told, it is data.
func (j *judge) members(i int, span Span) verdict {
	var all verdict
	r, at := newReader(j.text[:span.End]), span.Start+1
	for m := range fields(j.c, i) {
		if len(all.calls) >= maxCalls {
			return faulty(ReasonTooLarge, at, "at most 256 calls")
		}
		src, ok := r.member(at, j.c[m.keyAt:m.valAt-1], j.raw(m))
		if !ok {
			return verdict{}
		}
		at = src.End
		tool, exact := j.reg.lookup(m.key)
		v := j.finish(call{tool: tool, exact: exact, span: src, args: j.raw(m), dialect: DialectJSON})
		if v.kind != isCalls {
			return v
		}
		v.calls = append(all.calls, v.calls...)
		all = v
	}
	return all
}

// named finds the name that counts: the first that is registered.
func (j *judge) named(s *shape, span Span) (tool int, name field, fault Problem) {
	tool = -1
	for _, f := range s.names {
		t, _ := j.reg.lookup(j.str(f))
		switch {
		case t < 0 || t == tool:
		case tool < 0:
			tool, name = t, f
		case !j.reg.of(tool).has(f.key):
			return -1, name, Problem{Reason: ReasonAmbiguous, Offset: span.Start, Expected: "one name of a tool"}
		}
	}
	return tool, name, Problem{}
}

// holdsObject reports whether a value is an object, or the text of one.
func (j *judge) holdsObject(f field) bool {
	if j.c[f.valAt] != '"' {
		return j.c[f.valAt] == '{'
	}
	text := strings.TrimSpace(j.str(f))
	if !strings.HasPrefix(text, "{") {
		return false
	}
	_, bad := readWhole(text)
	return bad == ""
}

// call is a call of a registered tool that is being put together.
type call struct {
	tool    int
	exact   bool
	span    Span
	args    string // canonical JSON of any kind; "" if there is none
	dialect Dialect
	repairs []Repair
	byEnd   bool
	ifWhole bool
}

// registered judges an object that names a registered tool.
func (j *judge) registered(s *shape, tool int, name field, span Span) verdict {
	_, exact := j.reg.lookup(j.str(name))
	c := call{tool: tool, exact: exact, span: span, dialect: DialectJSON}
	facts := j.reg.of(tool)
	args, rest := j.splitArgs(s, facts)
	for k := 1; k < len(args); k++ {
		if j.raw(args[k]) != j.raw(args[0]) {
			return faulty(ReasonDuplicateKey, span.Start, "one key for the arguments")
		}
	}
	for _, f := range s.names {
		if f.keyAt != name.keyAt {
			rest = append(rest, f)
		}
	}
	if len(args) > 0 {
		c.args = j.raw(args[0])
		if c.args == `"..."` || c.args == `"…"` {
			return verdict{} // it only shows where arguments go
		}
		if len(rest) > 0 {
			if (c.args == "null" || c.args == `""`) && facts.declaresOneOf(rest) {
				return faulty(ReasonBadArgs, span.Start, "an object of arguments") // they stand beside it
			}
			c.repairs = append(c.repairs, Repair{RepairExtraKey, span.Start})
		}
		return j.finish(c)
	}
	if len(rest) == 0 {
		return j.finish(c)
	}
	return j.flat(c, rest, facts)
}

// declaresOneOf reports whether a field is a parameter.
func (f *facts) declaresOneOf(fields []field) bool {
	return slices.ContainsFunc(fields, func(m field) bool { return f.has(m.key) })
}

// splitArgs tells the keys that hold the arguments from parameters that only
// have such a name.
func (j *judge) splitArgs(s *shape, f *facts) (args, rest []field) {
	args = s.args[:0]
	for _, a := range s.args {
		if f.has(a.key) && !j.holdsArgs(a, f) {
			rest = append(rest, a)
			continue
		}
		args = append(args, a)
	}
	for _, e := range s.env {
		if f.has(e.key) {
			rest = append(rest, e)
		}
	}
	rest = append(rest, s.other...)
	rest = append(rest, s.wraps...)
	return args, rest
}

// holdsArgs reports whether the value of a key that is a parameter, too, is an
// object of arguments, or the text of one where no string is due.
func (j *judge) holdsArgs(a field, f *facts) bool {
	switch j.c[a.valAt] {
	case '{':
		return fits(j.c, a.valAt, f)
	case '"':
		if text := strings.TrimSpace(j.str(a)); strings.HasPrefix(text, "{") && f.params[a.key].kind == typeJSON {
			object, bad := readWhole(text)
			return bad == "" && fits(object, 0, f)
		}
	}
	return false
}

// flat judges arguments that stand beside the name.
func (j *judge) flat(c call, rest []field, f *facts) verdict {
	if j.open { // more of them may have been due
		return faulty(ReasonTruncated, len(j.text), "}")
	}
	slices.SortFunc(rest, func(a, b field) int { return a.keyAt - b.keyAt })
	if f.params == nil {
		if !j.place.marked() {
			if !j.place.maybeWhole {
				return verdict{}
			}
			c.ifWhole, c.byEnd = true, true
		}
		if slices.ContainsFunc(rest, func(m field) bool { return j.c[m.valAt] == '{' && properties(j.raw(m)) >= 0 }) {
			return faulty(ReasonSchemaEcho, c.span.Start, "arguments for "+j.reg.tools[c.tool].Name) // a definition of the tool
		}
	} else {
		for _, m := range rest {
			if !f.has(m.key) {
				if j.place.hard {
					return faulty(ReasonBadArgs, c.span.Start, "an object of arguments")
				}
				return verdict{}
			}
		}
	}
	var b strings.Builder
	b.WriteByte('{')
	for k, m := range rest {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(j.c[m.keyAt:m.valEnd])
	}
	b.WriteByte('}')
	c.args = b.String()
	c.repairs = append(c.repairs, Repair{RepairFlatArgs, c.span.Start})
	return j.finish(c)
}

// finish reads the arguments of a call of a registered tool.
func (j *judge) finish(c call) verdict {
	name := j.reg.tools[c.tool].Name
	if !c.exact {
		c.repairs = append(c.repairs, Repair{RepairName, c.span.Start})
	}
	args, repairs, reason := j.arguments(c.tool, c.args, c.span.Start)
	if reason != "" {
		return faulty(reason, c.span.Start, "an object of arguments for "+name)
	}
	return verdict{kind: isCalls, calls: j.one(found{
		call: Call{Name: name, Args: j.own(args), Span: c.span, Dialect: c.dialect,
			Repairs: append(c.repairs, repairs...), Marked: j.place.marked() || c.ifWhole},
		byEnd: c.byEnd, ifWhole: c.ifWhole,
	})}
}

// unknown judges an object without a registered name.
func (j *judge) unknown(s *shape, span Span) verdict {
	if len(s.names) != 1 {
		return verdict{}
	}
	name := j.str(s.names[0])
	if slices.Contains(pseudoTools, string(foldName(nil, name))) {
		return j.pseudo(s)
	}
	strict := len(s.args) == 1 && len(s.other) == 0 && len(s.wraps) == 0
	if !strict || !j.place.marked() && !j.place.maybeWhole || isPlaceholder(name) {
		return verdict{}
	}
	args, repairs, reason := j.arguments(-1, j.raw(s.args[0]), span.Start)
	if j.c[s.args[0].valAt] != '{' && reason == "" && (len(repairs) == 0 || repairs[0].Code != RepairArgsString) {
		reason = ReasonBadArgs // null or a list says nothing of an unknown tool
	}
	switch {
	case reason != "":
		if j.place.hard {
			return faulty(reason, span.Start, "an object of arguments")
		}
		return verdict{}
	case !wellFormed(name):
		v := faulty(ReasonMalformed, span.Start, "the name of a tool")
		v.ifWhole = !j.place.marked()
		return v
	}
	return verdict{kind: isCalls, calls: j.one(found{
		call:  Call{Name: strings.Clone(name), Args: []byte(args), Span: span, Dialect: DialectJSON, Repairs: repairs, Marked: true},
		byEnd: true, ifWhole: !j.place.marked(),
	})}
}

// isPlaceholder reports whether a name only shows where a name goes.
func isPlaceholder(name string) bool {
	return strings.ContainsAny(name, "<>{}") || strings.Contains(name, "...") || strings.Contains(name, "…")
}

// pseudoTools are names that prompts teach for "no call": what stands in the
// call is the answer. Folded as by foldName.
var pseudoTools = []string{"final_answer", "respond", "directly_answer", "none", "no_function", "out_of_domain"}

// pseudo judges a call of a tool that only means "this is the answer".
func (j *judge) pseudo(s *shape) verdict {
	if len(s.args) == 0 {
		if !j.place.marked() && !j.place.maybeWhole || len(s.other) > 1 {
			return verdict{}
		}
		for _, f := range s.other {
			if j.c[f.valAt] == '"' {
				return verdict{kind: isAnswer, answer: strings.Clone(j.str(f))}
			}
		}
		return verdict{kind: isAnswer}
	}
	a := s.args[0]
	switch j.c[a.valAt] {
	case '"':
		return verdict{kind: isAnswer, answer: strings.Clone(j.str(a))}
	case '{':
		text, n := "", 0
		for f := range fields(j.c, a.valAt) {
			if n++; j.c[f.valAt] == '"' {
				text = j.str(f)
			}
		}
		if n == 1 {
			return verdict{kind: isAnswer, answer: strings.Clone(text)}
		}
	}
	return verdict{kind: isAnswer}
}
