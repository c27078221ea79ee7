package parse

import (
	"slices"
	"strings"
	"unicode"
)

// tagArgs are arguments that stand between tags, while they are read. Nothing in
// these dialects is escaped, so a value ends where the structure around it
// leaves no other reading.
type tagArgs struct {
	facts  *facts // what the schema of the tool says
	out    []byte
	keys   []string
	values []Span // of the keys, in out
	last   int    // end of the last tag of the structure
	solid  int    // a byte behind last that is no white space, if there is one

	short  bool // the tags are <param>
	open   bool // in a value
	key    string
	typed  string // the string attribute of the tag
	value  int    // where the value begins
	close  int    // where the closing tag of the value stands, or -1
	closed int    // where that tag ends
	loose  int    // where a closing tag of the call stands although a value is open, or -1
	looseN int    // the length of that tag
	outer  int    // where a closing tag around the call stands directly behind a value, or -1

	keyAt int  // GLM: where the key begins
	inKey bool // GLM: between the tags of a key
	noVal bool // GLM: a key has no value yet
}

// beginTagArgs starts reading arguments between tags at p.
func (s *Scanner) beginTagArgs(p int) bool {
	if s.named.dialect == DialectFunctionTag {
		s.named.dialect = DialectXML
	}
	tool, _ := s.reg.lookup(s.named.name)
	s.tagArgs = tagArgs{
		facts: s.reg.of(tool), out: s.tagArgs.out[:0], keys: s.tagArgs.keys[:0], values: s.tagArgs.values[:0],
		last: p, close: -1, loose: -1, outer: -1,
	}
	s.tagArgs.out = append(s.tagArgs.out, '{')
	s.state, s.pos = stTagArgs, p
	return true
}

// inTagArgs reads on to the next tag that matters.
func (s *Scanner) inTagArgs() bool {
	for s.state == stTagArgs {
		i := strings.IndexByte(s.text[s.pos:], '<')
		if i < 0 {
			s.pos = len(s.text)
			return s.eof && s.tagArgsAtEnd()
		}
		s.pos += i
		var t tag
		ok := lexTag(&t, s.text[s.pos:], s.eof)
		if ok == maybe {
			return false
		}
		if ok == no {
			s.pos++
			continue
		}
		p := s.pos
		s.pos += t.n
		if s.named.dialect == DialectGLM {
			s.glmTag(p, &t)
		} else if s.named.toolTag {
			s.childTag(p, &t)
		} else {
			s.paramTag(p, &t)
		}
	}
	return true
}

// directly reports whether only white space stands between the last tag of the
// structure and p.
func (s *Scanner) directly(p int) bool {
	v := &s.tagArgs
	from := v.last
	if v.open {
		if v.close < 0 {
			return false
		}
		from = v.closed
	}
	if from > p || from <= v.solid && v.solid < p {
		return false
	}
	rest := strings.TrimLeftFunc(s.text[from:p], unicode.IsSpace)
	if rest != "" {
		v.solid = p - len(rest)
	}
	return rest == ""
}

// paramTag acts on a tag of <function=NAME><parameter=KEY>… or of
// <invoke name="NAME"><parameter name="KEY">….
func (s *Scanner) paramTag(p int, t *tag) {
	v := &s.tagArgs
	if t.kind == markParam && s.foreign(t) {
		return
	}
	switch {
	case t.kind == markParam && !t.close && (t.attr == "" || t.more == "value") && (!v.open || s.directly(p)):
		s.faultTagArgs(ReasonBadArgs, p, "a parameter with its name in the tag and its value behind")
	case t.kind == markParam && !t.close && t.attr != "":
		if v.loose >= 0 && v.close < 0 {
			s.faultTagArgs(ReasonAmbiguous, p, "</parameter>")
			return
		}
		if !s.endValue(p) {
			return
		}
		v.loose, v.outer = -1, -1 // it stood in the value
		v.typed = t.typed
		v.beginValue(t.attr, p+t.n)
	case t.kind == markParam && t.close:
		s.closeValue(p, t.n)
	case t.close && (t.kind == markFunction || t.name == s.named.closer):
		if s.directly(p) {
			if s.endValue(p) {
				s.finishTagArgs(p+t.n, false)
			}
			return
		}
		if v.loose < 0 {
			v.loose, v.looseN = p, t.n
		}
	case (t.kind == markFunction || t.kind == markHard) && !t.close:
		switch {
		case v.loose >= 0:
			s.faultTagArgs(ReasonAmbiguous, p, "</parameter>")
		case v.outer >= 0 || v.open && s.directly(p):
			s.faultTagArgs(ReasonAmbiguous, p, "the closing tag of "+bounded(s.named.name))
		}
	case t.kind == markHard || t.kind == markEnd:
		if v.outer < 0 && v.open && s.directly(p) {
			v.outer = p
		}
	}
}

// foreign reports whether a tag of a parameter belongs to a value: the call's own
// are all <parameter> or all <param>, as the first is.
func (s *Scanner) foreign(t *tag) bool {
	v := &s.tagArgs
	short := t.key == "param"
	if len(v.keys) == 0 && !v.open {
		v.short = short
	}
	return short != v.short
}

// closeValue notes a closing tag of the open value. One directly behind another
// is a slip, one further on means that the first belonged to the value.
func (s *Scanner) closeValue(p, n int) {
	v := &s.tagArgs
	if !v.open {
		return
	}
	if v.close < 0 || strings.TrimSpace(s.text[v.closed:p]) != "" {
		v.close = p
	}
	v.closed = p + n
}

// childTag acts on a tag of <NAME><KEY>…</KEY></NAME>.
func (s *Scanner) childTag(p int, t *tag) {
	v := &s.tagArgs
	f := v.facts
	switch {
	case t.close && s.named.closes(t) && s.directly(p):
		if s.endValue(p) {
			s.finishTagArgs(p+t.n, false)
		}
	case t.close && v.open && t.name == v.key:
		s.closeValue(p, t.n)
	case !t.close && !t.bars && s.directly(p) && t.more != "":
		s.faultTagArgs(ReasonBadArgs, p, "a parameter with its value behind the tag")
	case !t.close && !t.bars && s.directly(p) && (f.params == nil || f.has(t.name)):
		if s.endValue(p) {
			v.beginValue(t.name, p+t.n)
		}
	case !v.open && !t.close:
		s.faultTagArgs(ReasonMalformed, p, "a parameter or </"+s.named.closer+">")
	}
}

// glmTag acts on a tag of NAME<arg_key>…</arg_key><arg_value>…</arg_value>.
func (s *Scanner) glmTag(p int, t *tag) {
	v := &s.tagArgs
	switch {
	case t.kind == markArgKey && !t.close && s.directly(p):
		if s.endValue(p) {
			v.keyAt, v.inKey = p+t.n, true
			if v.noVal {
				s.faultTagArgs(ReasonMalformed, p, "<arg_value>")
			}
		}
	case t.kind == markArgKey && t.close && v.inKey:
		v.key, v.inKey, v.last, v.noVal = strings.TrimSpace(s.text[v.keyAt:p]), false, p+t.n, true
	case t.kind == markArgValue && !t.close && !v.open && !v.inKey && s.directly(p):
		v.noVal = false
		v.beginValue(v.key, p+t.n)
	case t.kind == markArgValue && t.close:
		s.closeValue(p, t.n)
	case (t.kind == markHard && t.close || t.kind == markEnd) && s.directly(p):
		if v.noVal {
			s.faultTagArgs(ReasonMalformed, p, "<arg_value>")
			return
		}
		if s.endValue(p) {
			s.finishTagArgs(p+t.n, false)
			s.marker = marker{dialect: s.marker.dialect}
		}
	}
}

// beginValue begins the value of key behind its opening tag, which ends at at.
func (v *tagArgs) beginValue(key string, at int) {
	v.open, v.key, v.value, v.close, v.last = true, key, at, -1, at
}

// endValue ends the open value, if there is one: at its closing tag, or at p
// where the next begins without one.
func (s *Scanner) endValue(p int) bool {
	v := &s.tagArgs
	if !v.open {
		return true
	}
	end := v.close
	if end < 0 {
		end = p
	}
	raw := cdata(trimLine(s.text[v.value:end]))
	v.open, v.last = false, p
	return s.addArg(raw)
}

// addArg adds the argument at hand, whose text is raw. The same key twice must
// have the same value.
func (s *Scanner) addArg(raw string) bool {
	v := &s.tagArgs
	if i := slices.Index(v.keys, v.key); i >= 0 {
		at := v.values[i]
		same := string(v.out[at.Start:at.End]) == string(v.appendValue(nil, raw))
		if !same {
			s.faultTagArgs(ReasonDuplicateKey, v.value, "one value for "+v.key)
		}
		return same
	}
	if len(v.keys) > 0 {
		v.out = append(v.out, ',')
	}
	if len(v.keys) >= maxCalls {
		s.faultTagArgs(ReasonTooLarge, v.value, "at most 256 arguments")
		return false
	}
	v.keys = append(v.keys, v.key)
	v.out = appendQuoted(v.out, strings.ReplaceAll(v.key, `\_`, "_"))
	v.out = append(v.out, ':')
	at := len(v.out)
	v.out = v.appendValue(v.out, raw)
	v.values = append(v.values, Span{at, len(v.out)})
	return true
}

// trimLine takes one line break off each end.
func trimLine(s string) string {
	if t, ok := strings.CutPrefix(s, "\r\n"); ok {
		s = t
	} else {
		s = strings.TrimPrefix(s, "\n")
	}
	if t, ok := strings.CutSuffix(s, "\r\n"); ok {
		return t
	}
	return strings.TrimSuffix(s, "\n")
}

// cdata takes the value out of one section of character data of XML.
func cdata(s string) string {
	inner, opens := strings.CutPrefix(strings.TrimSpace(s), "<![CDATA[")
	inner, closes := strings.CutSuffix(inner, "]]>")
	if !opens || !closes || strings.Contains(inner, "]]>") {
		return s
	}
	return inner
}

// appendValue appends the argument at hand, whose text is raw, as JSON: typed by
// the tool's schema; without one it stays a string.
func (v *tagArgs) appendValue(dst []byte, raw string) []byte {
	kind := v.facts.params[v.key].kind
	switch v.typed {
	case "true":
		kind = typeString
	case "false":
		kind = typeJSON
	}
	if kind == typeJSON {
		if value, ok := readValue(raw); ok {
			return append(dst, value...)
		}
	}
	return appendQuoted(dst, raw)
}

// finishTagArgs ends the call; byEnd says that it did not close by itself.
func (s *Scanner) finishTagArgs(end int, byEnd bool) {
	s.tagArgs.out = append(s.tagArgs.out, '}')
	s.candidate(s.named.start)
	s.read.idle(s.named.start)
	s.cand.byEnd = s.cand.byEnd || byEnd
	if byEnd {
		s.read.repair(RepairMissingTag, end)
	}
	s.finishArgs(view(s.tagArgs.out), end)
	s.shutByTag = s.called && !byEnd
}

// tagArgsAtEnd ends the call where the text ends: a closing tag behind an open
// value, or one around the call, counts now, as no other came.
func (s *Scanner) tagArgsAtEnd() bool {
	v := &s.tagArgs
	at, end := v.loose, v.loose+v.looseN
	switch {
	case v.loose >= 0 && v.open && v.close >= 0: // text stands behind the value: it may go on
		return false
	case v.loose < 0 && v.outer >= 0 && v.closed <= v.outer:
		at, end = v.outer, v.outer
	case v.loose < 0:
		return false
	}
	if !s.endValue(at) {
		return true
	}
	s.finishTagArgs(end, true)
	s.pos = end
	return true
}

// faultTagArgs ends the call with a fault.
func (s *Scanner) faultTagArgs(reason Reason, p int, expected string) {
	s.fault(reason, p, expected)
	s.marker.pending = false
	s.named = named{}
	s.state, s.pos = stText, p
	s.prose(p)
	s.lead = false
}
