package parse

import "slices"

// A frame is an open container.
type frame struct {
	kind   byte // { [ ( and t for a tuple
	args   argMode
	src    int // offset of the opener, of a call: of its name
	out    int // where it begins in the output
	keys   int // where its members begin
	parts  int // where the parts in it begin
	n      int // elements so far
	commas int
}

// argMode is how a call gives its arguments.
type argMode uint8

const (
	argsNone argMode = iota
	argsNamed
	argsObject
	argsPositional
)

// part maps a closed value of the outermost levels to its source.
type part struct {
	out  int
	span Span
}

// tail is what may follow a } that stood where ] was due.
type tail uint8

const (
	tailNone    tail = iota
	tailOwes         // it was the ], or it was the } of the object around and one } less follows
	tailSettled      // only closers follow
)

// open begins a container.
func (r *reader) open(c byte) {
	if !r.failed() {
		switch {
		case r.expect == expectArg && r.args() == argsNone && c == '{':
			r.setArgs(argsObject)
		case r.expect == expectArg && r.positional():
		case r.expect != expectValue:
			r.failHere()
		}
	}
	r.push(c)
}

// push opens a container of kind c at pos.
func (r *reader) push(c byte) {
	if len(r.stack) >= maxDepth {
		r.fail(ReasonTooDeep, r.pos, "nesting of at most 256 levels")
		r.deep++ // from here on brackets are only counted
		r.pos++
		r.next(c)
		return
	}
	if c == '(' {
		c = 't'
	}
	out := 0
	if !r.failed() {
		r.element()
		out = len(r.out)
		if c == '{' {
			r.out = append(r.out, '{')
		} else {
			r.out = append(r.out, '[')
		}
	}
	f := r.frame(c)
	f.src, f.out = r.pos, out
	r.pos++
	r.next(c)
}

// next says what comes after an opener or a comma in a container of kind c.
func (r *reader) next(c byte) {
	switch c {
	case '{':
		r.expect = expectKey
	case '(':
		r.expect = expectArg
	default:
		r.expect = expectValue
	}
	r.newline = false
}

// element writes the comma before an element of a list or of positional
// arguments.
func (r *reader) element() {
	if len(r.stack) == 0 || r.failed() {
		return
	}
	f := &r.stack[len(r.stack)-1]
	if f.kind != '{' && f.args != argsNamed && f.args != argsObject {
		if f.n > 0 {
			r.out = append(r.out, ',')
		}
		f.n++
	}
	r.comma = -1
}

// close ends a container with the closer c.
func (r *reader) close(c byte) {
	if r.failed() {
		r.closeBad(c)
		return
	}
	f := &r.stack[len(r.stack)-1]
	want := closers(f.kind)[0]
	if c != want && !r.mismatched(c, f) {
		return
	}
	switch r.expect {
	case expectAfter:
	case expectColon:
		r.failHere()
		r.closeBad(c)
		return
	case expectKey, expectArg:
		if r.comma >= 0 && f.kind != 't' {
			r.repair(RepairTrailingComma, r.comma)
		}
	case expectValue:
		if f.kind == '{' || f.kind == '(' { // after the colon
			r.failHere()
			r.closeBad(c)
			return
		}
		if r.comma >= 0 && f.kind == '[' {
			r.repair(RepairTrailingComma, r.comma)
		}
	}
	r.pos++
	r.pop()
}

// mismatched reads a closer c that is not the one of f, the innermost
// container, and reports whether it may be read as that one all the same.
func (r *reader) mismatched(c byte, f *frame) bool {
	n := len(r.stack)
	switch {
	case c == ')' && f.kind == '[' && r.calls && r.expect == expectAfter: // f(x=1))
		r.repair(RepairStrayCloser, r.pos)
		r.pos++
		return false
	case r.expect == expectAfter && r.tail == tailNone && c == '}' && f.kind == '[' && n > 1:
		// It stands for the ], or it closes the object around and the ] is
		// missing. Both read the same if only closers follow.
		r.repair(RepairCloser, r.pos)
		r.tail = tailOwes
		return true
	case r.tail == tailOwes && n > 1 && f.kind == '{' && c == closers(r.stack[n-2].kind)[0]:
		r.tail = tailSettled // it was the } of the object around
		r.pop()
		r.close(c)
		return false
	}
	r.failHere()
	r.closeBad(c)
	return false
}

// pop ends the innermost container, whose closer has been read.
func (r *reader) pop() {
	f := &r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	r.comma = -1
	r.forgetParts(f)
	switch f.kind {
	case '{':
		if r.checkKeys(f); len(r.stack) == 0 {
			r.outer = len(r.keys)
		}
		r.out = append(r.out, '}')
	case '[':
		r.out = append(r.out, ']')
	case 't':
		if !r.inArgs() {
			r.repair(RepairPythonLiteral, f.src)
		}
		if f.n == 1 && f.commas == 0 { // (x) is x
			r.out = append(r.out[:f.out], r.out[f.out+1:]...)
			break
		}
		r.out = append(r.out, ']')
	case '(':
		r.inCall--
		switch f.args {
		case argsNone:
			r.out = append(r.out, "{}"...)
		case argsNamed:
			r.checkKeys(f)
			r.out = append(r.out, '}')
		case argsPositional:
			r.out = append(r.out, ']')
		}
		r.out = append(r.out, '}')
	}
	if r.failed() {
		return
	}
	if len(r.stack) <= 4 && len(r.parts) < maxParts {
		r.parts = append(r.parts, part{f.out, Span{f.src, r.pos}})
	}
	r.keys = r.keys[:f.keys]
	r.valueEnded()
}

// forgetParts forgets the parts in f where no call can stand: in an object that
// wraps nothing, and in a call.
func (r *reader) forgetParts(f *frame) {
	if len(r.parts) == f.parts {
		return
	}
	wraps := func(m member) bool {
		v := r.out[m.valAt]
		return (v == '{' || v == '[') && isWrapperKey(view(r.out[m.keyAt+1:m.keyEnd-1]))
	}
	if f.kind == '(' || f.kind == '{' && !slices.ContainsFunc(r.keys[f.keys:], wraps) {
		r.parts = r.parts[:f.parts]
	}
}

// valueEnded notes that a value is complete.
func (r *reader) valueEnded() {
	r.expect, r.newline, r.ended = expectAfter, false, r.pos
	if len(r.stack) == 0 || r.failed() {
		return
	}
	f := &r.stack[len(r.stack)-1]
	if (f.kind == '{' || f.args == argsNamed) && len(r.keys) > f.keys {
		r.keys[len(r.keys)-1].valEnd = len(r.out)
	}
	if r.single && len(r.stack) == 1 {
		r.single = false
		r.pop()
		r.single = true
	}
}

// closeBad follows the closers of a candidate that cannot be read.
func (r *reader) closeBad(c byte) {
	r.pos++
	if r.deep > 0 {
		r.deep--
		r.expect, r.newline = expectAfter, false
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if closers(r.stack[i].kind)[0] == c {
			r.stack = r.stack[:i]
			r.expect, r.newline = expectAfter, false
			return
		}
	}
}

// beyond follows a candidate beyond maxDepth, where only brackets and strings
// count. It reports whether it got on; it stops before what is not JSON.
func (r *reader) beyond() bool {
	start := r.pos
	for r.pos < len(r.text) && r.deep > 0 {
		switch c := r.text[r.pos]; c {
		case '{', '[', '(':
			r.deep++
			r.next(c)
		case '}', ']', ')':
			r.deep--
			r.expect, r.newline = expectAfter, false
		case ',':
			r.next(r.top())
		case ':':
			r.sawColon(0)
		case ' ':
		case '"':
			end, _ := plainEnd(r.text, r.pos+1)
			if end < 0 || r.expect == expectColon || r.expect == expectAfter {
				return r.pos > start
			}
			r.badString(r.text[r.pos+1 : end])
			r.pos = end
		default:
			return r.pos > start
		}
		r.pos++
	}
	return r.pos > start
}

// top is the kind of the innermost open container, 0 if there is none.
func (r *reader) top() byte {
	if len(r.stack) == 0 {
		return 0
	}
	return r.stack[len(r.stack)-1].kind
}

// inArgs reports whether an enclosing container is the arguments of a call.
func (r *reader) inArgs() bool { return r.inCall > 0 }

// args is how the innermost call gives its arguments.
func (r *reader) args() argMode { return r.stack[len(r.stack)-1].args }

func (r *reader) setArgs(m argMode) {
	r.stack[len(r.stack)-1].args = m
	switch m {
	case argsNamed:
		r.out = append(r.out, '{')
	case argsPositional:
		r.out = append(r.out, '[')
	}
}

// positional reports whether a positional argument may stand here.
func (r *reader) positional() bool {
	switch r.args() {
	case argsNone:
		r.setArgs(argsPositional)
		return true
	case argsPositional:
		return true
	}
	r.fail(ReasonBadArgs, r.pos, "name=literal")
	return false
}

// onlyObjects reports whether all open containers are objects.
func (r *reader) onlyObjects() bool {
	for _, f := range r.stack {
		if f.kind != '{' {
			return false
		}
	}
	return true
}

func closers(kind byte) string {
	switch kind {
	case '{':
		return "}"
	case '[':
		return "]"
	}
	return ")"
}

// closeAll ends every open container where the model ended the call.
func (r *reader) closeAll(code RepairCode) {
	for len(r.stack) > 0 && !r.failed() {
		r.repair(code, r.pos)
		r.pop()
	}
}
