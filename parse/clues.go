package parse

import "strings"

// clues are what can be said of a candidate that is unclosed or unreadable.
type clues struct {
	first     int    // where the first key ends in the output, 0 if there is none
	names     int    // values of name keys that were looked up
	callKeys  bool   // a key of a call stands where a call would have it
	argsKeys  bool   // so does one of arguments
	givesArgs bool   // and it is not the one that a definition of a tool has, too
	wrapped   bool   // the first key, those that lead calls apart, or one behind a fault, is one of a wrapper
	schema    bool   // some key is one of a schema
	nameSeen  string // value of a name key where a call would have it, if it is not registered
	toolSeen  bool   // such a value, a callee or a lone key is the name of a tool
	openValue bool   // a name key's value has begun but not ended
	lastStr   string // in an unreadable candidate: the last string or word
	lastKey   string // and the last of them that a colon made a key
}

// firstKey is the first key of the first object, "" if there is none yet.
func (r *reader) firstKey() string {
	if r.first == 0 {
		return ""
	}
	end := r.first - 1
	start := end - 1
	for r.out[start] != '"' || start > 0 && r.out[start-1] == '\\' {
		start--
	}
	return string(r.out[start+1 : end])
}

// callDepth reports whether a call would have its name in the innermost object.
func (r *reader) callDepth() bool {
	n := len(r.stack)
	return n == 1 || n == 2 && r.stack[0].kind != '{' || n <= 5 && r.wrapped
}

// noteName looks at the value of a name key where a call would have it.
func (r *reader) noteName(key, value string) {
	if !isNameKey(key) || !r.callDepth() {
		return
	}
	r.openValue = false
	if r.toolSeen || r.names >= maxNames {
		return
	}
	r.names++
	if r.toolSeen = r.reg.known(value); !r.toolSeen {
		r.nameSeen = strings.Clone(value)
	}
}

// noteQuoted counts a string in a list, which may be a call or the name of one, and
// notes whether it begins a call of a registered tool.
func (r *reader) noteQuoted(s string) {
	r.quoted++
	name, _, call := strings.Cut(s, "(")
	if call && len(name) <= 2*maxName && r.reg.known(name) {
		r.toolSeen = true
	}
}

// badString passes over a string of a candidate that cannot be read.
func (r *reader) badString(s string) {
	if r.expect == expectValue && r.lastKey != "" {
		r.noteName(r.lastKey, bounded(s))
		r.lastKey = ""
	}
	r.lastStr = bounded(s)
	r.expect, r.newline = expectAfter, false
}

// badWord passes over a word of a candidate that cannot be read.
func (r *reader) badWord(w string) {
	if r.expect == expectValue && r.lastKey != "" {
		r.noteName(r.lastKey, w)
		r.lastKey = ""
	}
	r.lastStr = bounded(w)
	r.expect = expectAfter
}

// bounded cuts what is only compared with names.
func bounded(s string) string { return s[:min(len(s), 4*maxName)] }

// plainData reports whether the candidate is an object without a key that a
// call would have, where that is no fault.
func (s *Scanner) plainData() bool {
	r := &s.read
	if r.failed() || r.out[0] != '{' || r.callKeys || r.exprs > 0 || s.cand.place.hard {
		return false
	}
	if c := r.out[min(r.first+1, len(r.out)-1)]; r.first == 0 || c != '{' && c != '"' { // the value of the first key
		return true
	}
	return !s.reg.known(r.firstKey())
}

// unreadable judges a complete candidate that has no reading: it is data unless
// it looks like a call.
func (s *Scanner) unreadable() verdict {
	r, c := &s.read, &s.cand
	first := r.firstKey()
	defines := first == "type" && r.schema && !r.givesArgs // an echo of what the model was shown
	callLike := r.toolSeen && !defines || s.text[c.start] == '{' && s.callsFirst(first)
	if found := s.text[r.problem.Offset:]; strings.HasPrefix(found, "...") || strings.HasPrefix(found, "…") {
		callLike = false // a placeholder
	}
	if s.inTicks() {
		callLike = false
	}
	if callLike || c.place.hard && s.marker.on {
		return verdict{kind: isFault, fault: r.problem}
	}
	return verdict{}
}

// callsFirst reports whether an object with that first key is a call: the key is
// a tool, or wraps nothing else. Its closing quote may be missing: {"tool_calls: [{"…
func (s *Scanner) callsFirst(key string) bool {
	if word, _, cut := strings.Cut(key, ":"); cut && isWrapperKey(word) {
		key = word
	}
	return key != "" && key != "function" && isWrapperKey(key) || s.reg.known(key)
}

// nameless reports whether the candidate in a hard marker holds neither a name
// nor arguments. One that cannot be read may hold them, and is not.
func (s *Scanner) nameless() bool {
	r := &s.read
	k := r.firstKey()
	return !s.cand.nameApart && !r.failed() && !r.toolSeen && r.nameSeen == "" &&
		!isNameKey(k) && !r.argsKeys && !isWrapperKey(k) && !s.reg.known(k)
}
