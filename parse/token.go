package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/localagent/localagent/parse/internal/byteset"
)

// inWord goes on with a bare word and reports whether it ended.
func (r *reader) inWord() bool {
	i := r.pos
	for i < len(r.text) {
		c := r.text[i]
		if isWordByte(c) || isNameByte(c) && r.mayCall() {
			i++
			continue
		}
		if c == '\\' {
			if i+1 == len(r.text) && !r.eof {
				break
			}
			if i+1 < len(r.text) && r.text[i+1] == '_' {
				i += 2
				continue
			}
		}
		if c >= utf8.RuneSelf {
			if !utf8.FullRuneInString(r.text[i:]) && !r.eof {
				break
			}
			if ch, n := utf8.DecodeRuneInString(r.text[i:]); wordRune(ch) {
				i += n
				continue
			}
		}
		return r.wordEnds(i, c)
	}
	r.pos = i
	if !r.eof {
		return false
	}
	r.pos = len(r.text)
	r.endWord(r.text[r.tokAt:], 0)
	return true
}

// wordEnds reads the bare word that ends at i, before the byte next. It reports false
// if what follows spaces there may yet open the arguments of a call.
func (r *reader) wordEnds(i int, next byte) bool {
	w := r.text[r.tokAt:i]
	r.pos = i
	if next == ' ' && r.mayCall() && r.reg.known(w) {
		switch opensArgs(r.text[r.tokAt:], len(w), r.eof) {
		case maybe:
			return false
		case yes:
			r.pos, next = blanks(r.text, i), '('
		}
	}
	r.endWord(w, next)
	return true
}

// mayCall reports whether a word that begins here may be the name of a call.
func (r *reader) mayCall() bool { return r.calls && r.inCall == 0 && r.expect == expectValue }

// endWord reads a complete bare word; next is the byte behind it.
func (r *reader) endWord(w string, next byte) {
	r.token = tokenNone
	if r.failed() {
		r.badWord(w)
		return
	}
	switch r.expect {
	case expectKey:
		r.wordKey(w)
	case expectValue:
		r.wordValue(w, next)
	case expectArg:
		r.wordArg(w, next)
	default:
		if r.spaces && r.expect == expectAfter && r.top() == '(' && r.inCall == 1 {
			r.expect = expectArg // NAME a=1 b=2
			r.wordArg(w, next)
			return
		}
		r.pos = r.tokAt
		r.failHere()
		r.pos += len(w)
	}
}

func (r *reader) wordKey(w string) {
	if !isLetter(w[0]) && w[0] < utf8.RuneSelf && w[0] != '$' && w[0] != '\\' {
		r.pos = r.tokAt
		r.failHere()
		r.pos += len(w)
		return
	}
	if !r.bare {
		r.repair(RepairUnquotedKey, r.tokAt)
	}
	r.beginKey()
	r.writeWord(w)
	r.endKey()
}

// writeWord writes a bare word as a string, without Markdown's escapes.
func (r *reader) writeWord(w string) {
	if strings.IndexByte(w, '\\') >= 0 {
		r.repair(RepairMarkdownEscape, r.tokAt+strings.IndexByte(w, '\\'))
		w = strings.ReplaceAll(w, `\_`, "_")
	}
	r.out = append(r.out, '"')
	r.out = append(r.out, strings.ToValidUTF8(w, "\uFFFD")...)
	r.out = append(r.out, '"')
}

func (r *reader) wordValue(w string, next byte) {
	if lit, python := literal(w); lit != "" {
		if python && !r.inArgs() {
			r.repair(RepairPythonLiteral, r.tokAt)
		}
		r.element()
		r.out = append(r.out, lit...)
		r.valueEnded()
		return
	}
	if c := w[0]; isDigit(c) || c == '-' || c == '+' || c == '.' {
		r.number(w)
		return
	}
	if next == '(' && r.calls && r.inArgs() {
		r.failWord(ReasonBadArgs, w, "a literal")
		return
	}
	if next == '(' && r.calls && r.reg.known(w) {
		r.openCall(w)
		return
	}
	if r.top() == '{' && len(r.keys) > 0 {
		r.noteName(r.key(len(r.keys)-1), w)
	}
	r.failWord(ReasonMalformed, w, "a value")
}

// failWord fails at the word that was just read.
func (r *reader) failWord(reason Reason, w, expected string) {
	if r.inArgs() {
		reason, expected = ReasonBadArgs, "a literal"
	}
	r.fail(reason, r.tokAt, expected)
	r.lastStr, r.expect = bounded(w), expectAfter
}

// literal maps the words that are values to JSON; lit is "" for others.
func literal(w string) (lit string, python bool) {
	switch w {
	case "true", "false", "null":
		return w, false
	case "True":
		return "true", true
	case "False":
		return "false", true
	case "None":
		return "null", true
	}
	return "", false
}

// openCall begins a call expression; its name has been read, ( stands at pos.
func (r *reader) openCall(w string) {
	if len(r.stack) >= maxDepth {
		r.fail(ReasonTooDeep, r.pos, "nesting of at most 256 levels")
		return
	}
	r.element()
	f := r.frame('(')
	f.src, f.out = r.tokAt, len(r.out)
	r.out = append(r.out, `{"name":`...)
	r.writeWord(w)
	r.out = append(r.out, `,"arguments":`...)
	r.inCall++
	r.exprs++
	r.toolSeen = true
	if behind := r.tokAt + len(w); r.pos > behind {
		r.repair(RepairOddSpace, behind)
	}
	r.pos++
	r.next('(')
}

// wordArg reads a word where an argument may begin: the name of one, or a
// positional literal.
func (r *reader) wordArg(w string, next byte) {
	lit, _ := literal(w)
	if lit != "" || isDigit(w[0]) || w[0] == '-' || w[0] == '+' || w[0] == '.' {
		if r.positional() {
			r.wordValue(w, next)
		}
		return
	}
	switch r.args() {
	case argsNone:
		r.setArgs(argsNamed)
	case argsNamed:
	default:
		r.failWord(ReasonBadArgs, w, "a literal")
		return
	}
	sign := strings.ContainsAny(w, ".-$") // Python has no such names, but schemas do: per-page=5
	if next == '(' || sign && next != '=' || strings.Contains(w, "+") {
		r.failWord(ReasonBadArgs, w, "name=literal")
		return
	}
	r.beginKey()
	r.writeWord(w)
	r.endKey()
}

// takesLiteral reports whether one of Python's literals may begin here.
func (r *reader) takesLiteral() bool {
	return r.inArgs() && (r.expect == expectValue || r.expect == expectArg)
}

// rawString reads the r of Python's raw string and what opens it; is says that one
// may begin at pos.
func (r *reader) rawString() (st status, is bool) {
	switch rest := r.text[r.pos+1:]; {
	case rest == "":
		return readMore, !r.eof
	case rest[0] != '"' && rest[0] != '\'':
		return readOn, false
	}
	r.pos++
	if st = r.quotes(r.text[r.pos], true); st == readMore {
		r.pos-- // the r is read again
	}
	return st, true
}

// quotes reads the quotation mark c, of a raw string or of any other; where an
// argument may begin, also Python's three of them.
func (r *reader) quotes(c byte, raw bool) status {
	one, three := quoteDouble, quoteTriple
	switch {
	case raw && c == '"':
		one, three = quoteRaw, quoteRawTriple
	case raw:
		one, three = quoteRawSingle, quoteRawTripleSingle
	case c == '\'':
		one, three = quoteSingle, quoteTripleSingle
	}
	if r.takesLiteral() {
		switch begins(r.text[r.pos:], quoteMarks[three], r.eof) {
		case yes:
			r.openString(three)
			return readOn
		case maybe:
			return readMore
		}
	}
	r.openString(one)
	return readOn
}

// openString begins a string with its opening quote.
func (r *reader) openString(q quote) {
	n := len(quoteMarks[q])
	if r.failed() {
		if r.expect == expectColon || r.expect == expectAfter && !r.newline {
			r.pos += n // no string begins here
			return
		}
	} else {
		r.startString(q)
	}
	r.token, r.quote, r.flags = tokenString, q, 0
	r.tokAt = r.pos
	r.pos += n
	r.scanned = r.pos
	r.inString()
}

// startString checks that a string may begin here and records its quotes.
func (r *reader) startString(q quote) {
	switch {
	case r.tail != tailNone:
		r.fail(ReasonMalformed, r.pos, "closing brackets")
	case r.expect == expectAfter && r.newline && r.top() == '{':
		r.repair(RepairMissingComma, r.ended)
		r.stack[len(r.stack)-1].commas++
		r.expect = expectKey
	case r.expect == expectArg:
		r.positional()
	case r.expect == expectColon || r.expect == expectAfter:
		r.failHere()
	}
	r.sure = true
	if r.inArgs() {
		return
	}
	switch q {
	case quoteSingle:
		r.repair(RepairSingleQuotes, r.pos)
	case quoteSmart, quoteSmartSingle:
		r.repair(RepairSmartQuotes, r.pos)
	}
}

// The bytes that mean something inside a string: in double quotes; there, once
// bytes beyond ASCII were seen; in others.
var (
	doubleStops = byteset.New(func(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf })
	asciiStops  = byteset.New(func(c byte) bool { return c < ' ' || c == '"' || c == '\\' })
	otherStops  = byteset.New(func(c byte) bool {
		return c < ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '\\' || c >= utf8.RuneSelf
	})
)

// stops are the bytes that mean something in the string at hand.
func (r *reader) stops() *byteset.Set {
	switch {
	case r.quote != quoteDouble:
		return otherStops
	case r.flags&hasHigh != 0:
		return asciiStops
	}
	return doubleStops
}

// inString goes on with a string and reports whether it ended. The closing
// quote is of the kind that opened it.
func (r *reader) inString() bool {
	t := r.text
	stops := r.stops()
	for i := stops.Index(t, r.scanned); i < len(t); i = stops.Index(t, i+1) {
		switch c := t[i]; {
		case c < ' ':
			r.flags |= hasControl
		case c == '\\':
			if !r.quote.escapes() {
				break
			}
			if i+1 == len(t) {
				r.scanned, r.pos = i, i
				if r.eof {
					r.pos, r.token = len(t), tokenNone
				}
				return r.eof
			}
			r.flags |= escapeFlag(t[i+1], r.quote)
			i++
			if t[i] >= utf8.RuneSelf {
				r.flags |= hasHigh
			}
		default:
			if n, more := r.closing(t[i:]); n > 0 {
				r.endString(i, i+n)
				return true
			} else if more {
				r.scanned, r.pos = i, i
				return false
			}
			switch {
			case c == '"':
				r.flags |= hasQuote
			case c >= utf8.RuneSelf:
				r.flags |= hasHigh
				stops = r.stops()
			}
		}
	}
	r.scanned, r.pos = len(t), len(t)
	return false
}

// closing returns the length of the closing quote that s begins with, and
// whether s is too short to tell.
func (r *reader) closing(s string) (n int, more bool) {
	if r.quote == quoteSmart || r.quote == quoteSmartSingle {
		return closingSmart(s, r.quote, r.eof)
	}
	want := quoteMarks[r.quote]
	if strings.HasPrefix(s, want) {
		return len(want), false
	}
	return 0, !r.eof && strings.HasPrefix(want, s)
}

func closingSmart(s string, q quote, eof bool) (n int, more bool) {
	if s[0] != 0xE2 {
		return 0, false
	}
	if len(s) < 3 {
		return 0, !eof
	}
	switch c := s[:3]; {
	case q == quoteSmart && (c == "“" || c == "”"), q == quoteSmartSingle && (c == "‘" || c == "’"):
		return 3, false
	}
	return 0, false
}

// escapeFlag says what the escape \c is.
func escapeFlag(c byte, q quote) strFlag {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return hasEscape
	case '/', 'u':
		return hasEscape | hasSlow
	case '\'':
		if q == quoteSingle {
			return hasEscape | hasSlow
		}
	}
	return hasEscape | hasInvalid
}

// endString reads a complete string whose closing quote is text[end:next].
func (r *reader) endString(end, next int) {
	r.token = tokenNone
	body := r.tokAt + len(quoteMarks[r.quote])
	s := r.text[body:end]
	r.pos = next
	if r.failed() {
		r.badString(s)
		return
	}
	if r.expect == expectKey {
		r.beginKey()
		r.writeString(s, body)
		r.endKey()
		return
	}
	r.element()
	at := len(r.out)
	r.writeString(s, body)
	if !r.failed() {
		r.stringEnded(at, s)
	}
}

// stringEnded notes a string that is a value: s in the source, out[at:] as written.
func (r *reader) stringEnded(at int, s string) {
	if n := len(r.stack); n <= 3 && len(r.parts) < maxParts {
		if r.stack[n-1].kind != '{' {
			r.parts = append(r.parts, part{at, Span{r.tokAt, r.pos}})
		}
		if r.stack[n-1].kind == '[' && n == 1 && !r.toolSeen {
			r.noteQuoted(s)
		}
	}
	if r.openValue && r.top() == '{' {
		r.noteName(r.key(len(r.keys)-1), unquote(view(r.out[at:])))
	}
	r.valueEnded()
}
