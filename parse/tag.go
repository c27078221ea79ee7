package parse

import "strings"

// tag is one tag or control token.
type tag struct {
	kind    markerKind
	dialect Dialect // of calls behind it, if they have their own
	name    string  // as written, brackets, bars and attributes apart
	key     string  // its name in the table, "" for none; of the end of a thought: of its beginning
	attr    string  // NAME of <function=NAME>, <invoke name="NAME">
	typed   string  // of an attribute string="…"
	more    string  // the first attribute that is none of those that tags of calls have
	close   bool    // a closing tag
	bars    bool    // written with bars
	half    bool    // with an opening bar only
	n       int     // bytes
}

// endsTurn reports whether t ends a turn, or begins another.
func (t *tag) endsTurn() bool { return t.kind == markToken || t.kind == markRole || t.kind == markUser }

// othersTurn reports whether t begins a turn that is not the model's, or may begin one.
func (t *tag) othersTurn() bool {
	return !t.close && (t.kind == markRole || t.kind == markUser || t.kind == markResult)
}

// maxTag is the longest tag, in bytes.
const maxTag = 256

// lexMarker reads the tag, or the marker in square brackets, that s begins with, into
// t, which is empty before.
func lexMarker(t *tag, s string, eof bool) tri {
	if s[0] == '<' {
		return lexTag(t, s, eof)
	}
	return lexBracket(t, s, eof)
}

// lexTag reads the tag that s begins with.
func lexTag(t *tag, s string, eof bool) tri {
	if strings.HasPrefix(s, "<<") {
		return lexDoubled(t, s, eof)
	}
	end, simple, ok := tagEnd(s, eof)
	if ok != yes {
		return ok
	}
	t.n = end + 1
	body := s[1:end]
	if strings.HasPrefix(body, "/") {
		t.close, body = true, body[1:]
	}
	if simple && body != "" && isLetter(body[0]) {
		t.name = body
		t.lookUp(body)
		return yes
	}
	body = t.unwrap(body)
	if body == "" || !isLetter(body[0]) {
		return no
	}
	t.name = body
	if !t.bars {
		t.attributes(body)
	}
	var buf [48]byte
	if name, fits := foldTag(buf[:0], t.name); fits {
		t.lookUp(string(name))
	}
	return yes
}

// unwrap takes the bars and the namespace of a model family off the body of a tag.
func (t *tag) unwrap(body string) string {
	lead, trail := false, false
	if body, lead = cutBar(body, strings.CutPrefix); lead && strings.HasPrefix(body, "/") {
		t.close, body = true, body[1:]
	}
	body, trail = cutBar(body, strings.CutSuffix)
	t.bars, t.half = lead || trail, lead && !trail
	if trail && !lead {
		t.close = true // Gemma's <tool_call|>
	}
	if rest, ok := strings.CutPrefix(body, "DSML|"); ok {
		body, t.bars = rest, false
	}
	if body != "" && body[0] == 0xEF || t.bars {
		if i := strings.LastIndex(body, "｜"); i >= 0 { // DeepSeek's ｜DSML｜ before the name
			body, t.bars = body[i+len("｜"):], false
		}
	}
	return strings.Trim(body, " ")
}

// lookUp looks up what a tag with the folded name does.
func (t *tag) lookUp(name string) {
	m := markers[name]
	if m.bars && !t.bars {
		return
	}
	t.kind, t.dialect, t.key = m.kind, m.dialect, m.names
	if m.ends != "" {
		t.close, t.key = true, m.ends
	}
}

// lexDoubled reads Gorilla's marker.
func lexDoubled(t *tag, s string, eof bool) tri {
	const marker = "<<function>>"
	ok := begins(s, marker, eof)
	if ok == yes {
		*t = tag{kind: markHard, dialect: DialectExpression, name: "function", n: len(marker)}
	}
	return ok
}

// tagEnd finds the > of a tag; simple says that before it stand only lower-case
// letters and _, perhaps behind a slash.
func tagEnd(s string, eof bool) (end int, simple bool, ok tri) {
	i := 1
	simple = true
	for ; i < len(s) && i < maxTag; i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || c == '_':
		case c == '>':
			return i, simple, yes
		case c == '<' || c == '\n' || c == '{' || c == '}':
			return 0, false, no
		case i == 1 && c == '/':
		case i == 1 && !isLetter(c) && c != '|' && c != 0xEF:
			return 0, false, no
		default:
			simple = false
		}
	}
	if i == maxTag || eof {
		return 0, false, no
	}
	return 0, false, maybe
}

func cutBar(s string, cut func(s, bar string) (string, bool)) (string, bool) {
	if r, ok := cut(s, "|"); ok {
		return r, true
	}
	return cut(s, "｜")
}

// attributes splits NAME=VALUE and NAME name="VALUE" string="true".
func (t *tag) attributes(body string) {
	i := strings.IndexAny(body, " =\t")
	if i < 0 {
		return
	}
	t.name = body[:i]
	if body[i] == '=' {
		t.attr = strings.Trim(strings.TrimSpace(body[i+1:]), `"'`)
		return
	}
	t.attr = attribute(body[i:], "name")
	t.typed = attribute(body[i:], "string")
	t.more = moreAttribute(body[i:])
}

// moreAttribute returns the key of the first attribute in s that is none of those that
// the tags of calls have: its value may be an argument.
func moreAttribute(s string) string {
	for {
		keys, value, ok := strings.Cut(s, "=")
		words := strings.Fields(keys)
		if !ok || len(words) == 0 {
			return ""
		}
		switch key := words[len(words)-1]; key {
		case "name", "string", "type", "id", "index", "required":
		default:
			return key
		}
		value = strings.TrimLeft(value, " \t")
		end := " "
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			end, value = value[:1], value[1:]
		}
		_, s, _ = strings.Cut(value, end)
	}
}

// attribute returns the value of key="value" in s.
func attribute(s, key string) string {
	for {
		i := strings.Index(s, key)
		if i < 0 {
			return ""
		}
		rest := strings.TrimLeft(s[i+len(key):], " ")
		if v, ok := strings.CutPrefix(rest, "="); ok && i > 0 && isSpace(s[i-1]) {
			v = strings.TrimLeft(v, " ")
			if v != "" && (v[0] == '"' || v[0] == '\'') {
				if j := strings.IndexByte(v[1:], v[0]); j >= 0 {
					return v[1 : j+1]
				}
			}
			v, _, _ = strings.Cut(v, " ")
			return v
		}
		s = s[i+len(key):]
	}
}

// foldTag normalises the name of a tag.
func foldTag(dst []byte, s string) ([]byte, bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == ':': // a namespace
			dst = dst[:0]
			continue
		case c == '\\':
			continue
		case c == ' ' || c == '-':
			c = '_'
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == 0xE2 && strings.HasPrefix(s[i:], "▁"):
			c = '_'
			i += 2
		}
		if len(dst) == cap(dst) {
			return nil, false
		}
		dst = append(dst, c)
	}
	return dst, true
}

// lexBracket reads the bracket marker that s begins with.
func lexBracket(t *tag, s string, eof bool) tri {
	wait := no
	for _, b := range brackets {
		if strings.HasPrefix(s, b.text) {
			*t = tag{kind: b.kind, dialect: b.dialect, name: b.text, close: b.close, bars: true, n: len(b.text)}
			return yes
		}
		if !eof && strings.HasPrefix(b.text, s) {
			wait = maybe
		}
	}
	return wait
}

// lexTriangle reads a marker between triangles.
func lexTriangle(t *tag, s string, eof bool) tri {
	for _, m := range [...]string{openTriangle, closeTriangle} {
		switch begins(s, m, eof) {
		case yes:
			*t = tag{kind: markThink, name: "◁think", close: m == closeTriangle, bars: true, n: len(m)}
			return yes
		case maybe:
			return maybe
		}
	}
	return no
}

// endsCall reports whether the model ended a call at pos: a closing tag, an end
// token or a fence stands there.
func endsCall(text string, pos int, eof bool) tri {
	if text[pos] == '`' {
		n := runLen(text, pos)
		if n < 3 && pos+n == len(text) && !eof {
			return maybe
		}
		if n >= 3 {
			return yes
		}
		return no
	}
	var t tag
	ok := lexTag(&t, text[pos:], eof)
	if ok != yes {
		return ok
	}
	switch {
	case t.close && t.kind != markNone && t.kind != markThink && t.kind != markParam,
		t.kind == markEnd, t.kind == markToken:
		return yes
	}
	return no
}
