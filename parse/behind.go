package parse

import "strings"

// What stands directly behind a call may separate it from the next, be a slip, or show
// that the call ended too early.

// separatorLen is the length of the separator that s begins with: white space, a
// comma, a semicolon, a line break written as an escape.
func separatorLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == ',' || s[0] == ';' || isSpace(s[0]):
		return 1
	case strings.HasPrefix(s, "，"):
		return len("，")
	case strings.HasPrefix(s, `\n`) || strings.HasPrefix(s, `\r`) || strings.HasPrefix(s, `\t`):
		return 2
	}
	return 0
}

// stringGoesOn looks at what stands at p behind a call whose argument is a plain
// string: with a colon it was a key, with a comma one argument of several.
func (s *Scanner) stringGoesOn(p int) {
	if !s.plainString || p == len(s.text) {
		return
	}
	s.plainString = false
	if c := s.text[p]; (c == ':' || c == ',') && !strings.Contains(s.text[s.callEnd:p], "\n") {
		s.fault(ReasonBadArgs, p, "the end of the one argument")
	}
}

// quoteBehind looks at the quote at p behind a call: if a key begins there that belongs to
// a call, the call ended too early, or another has no brace.
func (s *Scanner) quoteBehind(p int) bool {
	key, _, ended := strings.Cut(s.text[p+1:min(len(s.text), p+1+maxName)], `"`)
	if !ended && len(key) < maxName && !s.eof {
		return false
	}
	if q := s.lookPast(p + len(key) + 2*len(`"`)); ended && s.goesOnWith(key, p) {
		if q == len(s.text) && !s.eof {
			return false
		}
		if strings.HasPrefix(s.text[q:], ":") {
			s.fault(ReasonAmbiguous, p, "one object of a name and arguments")
		}
	}
	return s.orPass(s.leadWord(p), p)
}

// goesOnWith reports whether the key at p belongs to a call: to any, or on the same line to
// the arguments of the one before, which stood apart from its name.
func (s *Scanner) goesOnWith(key string, p int) bool {
	return isNameKey(key) || isArgsKey(key) ||
		s.argsMayGoOn && !s.reg.known(key) && !strings.Contains(s.text[s.callEnd:p], "\n")
}

// belongsToCall reports whether the candidate, if it is no call, belongs to the call
// directly before it: as a second object of arguments, or as the only one.
func (s *Scanner) belongsToCall() bool {
	c := &s.cand
	return c.argsMayGoOn || c.called && s.text[c.start] == '{' && isArgsKey(s.read.firstKey())
}

// skipSeparators passes over what may stand between calls.
func (s *Scanner) skipSeparators(p int) int {
	start := p
	for n := separatorLen(s.text[p:]); n > 0; n = separatorLen(s.text[p:]) {
		p += n
	}
	if p > start && s.prefix < 0 {
		s.prefix = start
	}
	return p
}

// stray passes over closers behind a call.
func (s *Scanner) stray(p int) bool {
	return s.drop(p, p+1, dropStray)
}

// behindCall reports whether a complete call stands directly before, closing tags
// and tokens apart.
func (s *Scanner) behindCall() bool {
	return len(s.calls) > 0 && s.lead && (s.called || s.impliedTag && s.prefix < 0)
}

// orphan reads a closing tag of an argument behind a call: the call's extent is
// in doubt.
func (s *Scanner) orphan(p, end int) bool {
	if !s.argsInTags {
		return s.drop(p, end, dropStray)
	}
	s.fault(ReasonAmbiguous, p, "no closing tag")
	return s.pass(p, end)
}
