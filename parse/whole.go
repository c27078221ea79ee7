package parse

import "strings"

// readWhole reads text that is exactly one object or string; bad says why it is
// none.
func readWhole(text string) (canonical string, bad Reason) {
	if text[0] != '{' && text[0] != '"' {
		return "", ReasonBadArgs
	}
	r := newReader(text)
	r.beginAny(0)
	st := r.run()
	switch {
	case r.problem.Reason == ReasonDuplicateKey:
		return "", ReasonDuplicateKey
	case st != readClosed || r.failed() || strings.TrimSpace(text[r.pos:]) != "":
		return "", ReasonBadArgs
	case r.single:
		canonical, _ = oneElement(string(r.out))
		return canonical, ""
	}
	return string(r.out), ""
}

// newReader returns a reader of text that is complete. Until it is given a registry,
// it takes no name for that of a tool.
func newReader(text string) *reader {
	return &reader{text: text, eof: true}
}

// readValue reads text that is exactly one JSON value, or one of Python's
// literals.
func readValue(text string) (string, bool) {
	r := newReader("[" + strings.TrimSpace(text) + "]")
	r.begin(0)
	if r.run() != readClosed || r.failed() || r.pos != len(r.text) {
		return "", false
	}
	return oneElement(string(r.out))
}

// readAssignments reads k="v" k2=2, separated by white space or commas.
func readAssignments(text string) (string, bool) {
	r := newReader("f(" + text + ")")
	r.spaces = true
	r.beginCall(0, 1, false)
	if r.run() != readClosed || r.failed() || r.pos != len(r.text) {
		return "", false
	}
	v0 := len(`{"name":"f","arguments":`)
	return string(r.out[v0 : len(r.out)-1]), true
}

// member finds the next member of an object behind at, whose key stands in quotes
// and whose value is an object, as they were read before.
func (r *reader) member(at int, key, value string) (Span, bool) {
	start := r.behind(at, ", \t\r\n")
	if start == len(r.text) || r.text[start] != '"' && r.text[start] != '\'' {
		return Span{}, false
	}
	r.beginValue(start)
	r.run()
	if string(r.out) != "["+key+"]" {
		return Span{}, false
	}
	at = r.behind(r.pos, ": \t\r\n")
	if at == len(r.text) || r.text[at] != '{' {
		return Span{}, false
	}
	r.begin(at)
	r.run()
	return Span{start, r.pos}, string(r.out) == value
}

// behind passes over what is to be skipped, from p on.
func (r *reader) behind(p int, skip string) int {
	return len(r.text) - len(strings.TrimLeft(r.text[p:], skip))
}
