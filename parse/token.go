package parse

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// isWordByte reports whether c may stand in a bare word: a literal, a number,
// an unquoted key, the name of a call.
func isWordByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '.' || c == '+' || c == '-' || c == '$'
}

// inWord goes on with a bare word and reports whether it ended.
func (r *reader) inWord() bool {
	i := r.pos
	for i < len(r.text) {
		c := r.text[i]
		if isWordByte(c) {
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
		r.pos = i
		r.endWord(r.text[r.tokAt:i], c)
		return true
	}
	r.pos = i
	if !r.eof {
		return false
	}
	r.pos = len(r.text)
	r.endWord(r.text[r.tokAt:], 0)
	return true
}

// wordRune reports whether a rune beyond ASCII may stand in an unquoted key.
func wordRune(c rune) bool {
	switch c {
	case '“', '”', '„', '‘', '’', '：', '，', utf8.RuneError:
		return false
	}
	return c >= utf8.RuneSelf && !unicode.IsSpace(c) && !isInvisible(c)
}

// endWord reads a complete bare word; next is the byte behind it.
func (r *reader) endWord(w string, next byte) {
	r.token = tokenNone
	if r.failed() {
		r.badWord(w)
		return
	}
	if r.pos == r.tokAt { // a lone character that cannot stand in a word
		r.failHere("value")
		r.pos++
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
		r.failHere("value")
		r.pos += len(w)
	}
}

// badWord passes over a word of a candidate that cannot be read.
func (r *reader) badWord(w string) {
	if r.pos == r.tokAt {
		r.pos++
	}
	if r.expect == expectValue && r.lastKey != "" {
		r.noteName(r.lastKey, w)
		r.lastKey = ""
	}
	r.lastStr = bounded(w)
	r.expect = expectAfter
}

func (r *reader) wordKey(w string) {
	if !isLetter(w[0]) && w[0] < utf8.RuneSelf && w[0] != '$' && w[0] != '\\' {
		r.pos = r.tokAt
		r.failHere("a key")
		r.pos += len(w)
		return
	}
	if !r.bare {
		r.repair(RepairUnquotedKey, r.tokAt)
	}
	r.beginKey()
	r.writeWord(w)
	r.endKey(expectColon)
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
		m := r.keys[len(r.keys)-1]
		r.noteName(string(r.out[m.key0+1:m.key1-1]), w)
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

// openCall begins a call expression; its name has been read, ( follows.
func (r *reader) openCall(w string) {
	if len(r.stack) >= maxDepth {
		r.fail(ReasonTooDeep, r.pos, "nesting of at most 256 levels")
		return
	}
	r.element()
	f := frame{kind: '(', src: r.tokAt, out: len(r.out), keys: len(r.keys), parts: len(r.parts)}
	r.out = append(r.out, `{"name":`...)
	r.writeWord(w)
	r.out = append(r.out, `,"arguments":`...)
	r.stack = append(r.stack, f)
	r.inCall++
	r.exprs++
	r.toolSeen = true
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
	if next == '(' || strings.ContainsAny(w, ".+-$") {
		r.failWord(ReasonBadArgs, w, "name=literal")
		return
	}
	r.beginKey()
	r.writeWord(w)
	r.endKey(expectColon)
}

func (r *reader) number(w string) {
	n, same := number(w)
	if n == "" {
		r.failWord(ReasonMalformed, w, "a number")
		return
	}
	if !same && !r.inArgs() {
		r.repair(RepairNumber, r.tokAt)
	}
	r.element()
	r.out = append(r.out, n...)
	r.valueEnded()
	r.ahead(',')
}

// number returns the JSON number that w is, digits as written: "" if it is
// none. Python's +1, 1_000, .5 and 5. are numbers.
func number(w string) (n string, same bool) {
	if isNumber(w) {
		return w, true
	}
	sign := ""
	switch {
	case strings.HasPrefix(w, "+"):
		w = w[1:]
	case strings.HasPrefix(w, "-"):
		sign, w = "-", w[1:]
	}
	for i := 1; i+1 < len(w); i++ {
		if w[i] == '_' && !(isDigit(w[i-1]) && isDigit(w[i+1])) {
			return "", false
		}
	}
	w = strings.ReplaceAll(w, "_", "")
	if strings.HasPrefix(w, ".") {
		w = "0" + w
	}
	if i := strings.IndexByte(w, '.'); i >= 0 && (i+1 == len(w) || !isDigit(w[i+1])) {
		w = w[:i] + ".0" + w[i+1:]
	}
	if !isNumber(sign + w) {
		return "", false
	}
	return sign + w, false
}

// isNumber reports whether w is a number of RFC 8259.
func isNumber(w string) bool {
	w = strings.TrimPrefix(w, "-")
	digits := func() bool {
		n := len(w)
		for w != "" && isDigit(w[0]) {
			w = w[1:]
		}
		return len(w) < n
	}
	zero := strings.HasPrefix(w, "0")
	n := len(w)
	if !digits() || zero && n-len(w) > 1 {
		return false
	}
	if strings.HasPrefix(w, ".") {
		if w = w[1:]; !digits() {
			return false
		}
	}
	if w != "" && (w[0] == 'e' || w[0] == 'E') {
		if w = w[1:]; w != "" && (w[0] == '+' || w[0] == '-') {
			w = w[1:]
		}
		if !digits() {
			return false
		}
	}
	return w == ""
}

// plainString reads a string of ordinary JSON that is here to its end, and the
// colon behind a key. It reports false, and has done nothing, for any other.
func (r *reader) plainString() bool {
	key := r.expect == expectKey
	if !key && r.expect != expectValue || r.tail != tailNone || r.failed() || r.single {
		return false
	}
	t, i := r.text, r.pos+1
	for ; i < len(t); i++ {
		c := t[i]
		if strClass[c] == 0 || c == '\'' || c == '<' {
			if i&7 == 0 {
				i = max(i, plainRun(t, i)-1)
			}
			continue
		}
		if c == '\\' && i+1 < len(t) && escapeFlag(t[i+1], quoteDouble) == hasEscape {
			i++
			continue
		}
		break
	}
	if i >= len(t) || t[i] != '"' {
		return false
	}
	r.tokAt, r.sure = r.pos, true
	r.pos = i + 1
	if key {
		r.beginKey()
		r.out = append(r.out, t[r.tokAt:r.pos]...)
		r.endKey(expectColon)
		r.ahead(':')
		return true
	}
	r.element()
	at := len(r.out)
	r.out = append(r.out, t[r.tokAt:r.pos]...)
	r.stringEnded(at, t[r.tokAt+1:i])
	r.ahead(',')
	return true
}

// ahead reads the colon or comma that mostly stands directly behind a token, and
// a space behind that.
func (r *reader) ahead(c byte) {
	if r.pos >= len(r.text) || r.text[r.pos] != c || r.failed() || len(r.stack) == 0 {
		return
	}
	if c == ':' {
		r.sawColon(1)
	} else {
		r.sawComma(1)
	}
	if r.pos < len(r.text) && r.text[r.pos] == ' ' {
		r.pos++
	}
}

// quotes reads quotation marks c: of an argument also Python's three.
func (r *reader) quotes(c byte) (status, bool) {
	one, three, marks := quoteDouble, quoteTriple, `"""`
	if c == '\'' {
		one, three, marks = quoteSingle, quoteTripleSingle, "'''"
	}
	if r.inArgs() && (r.expect == expectValue || r.expect == expectArg) {
		switch rest := r.text[r.pos:]; {
		case strings.HasPrefix(rest, marks):
			r.openString(three, len(marks))
			return 0, false
		case !r.eof && strings.HasPrefix(marks, rest):
			return readMore, true
		}
	}
	if c == '\'' || !r.plainString() {
		r.openString(one, 1)
	}
	return 0, false
}

// openString begins a string whose opening quote has n bytes.
func (r *reader) openString(q quote, n int) {
	if r.failed() {
		if r.expect == expectColon || r.expect == expectAfter && !r.line {
			r.pos += n // no string begins here
			return
		}
	} else {
		r.startString(q)
	}
	r.token, r.quote, r.flags = tokenString, q, 0
	r.tokAt = r.pos
	r.pos += n
	r.scan = r.pos
	r.inString()
}

// startString checks that a string may begin here and records its quotes.
func (r *reader) startString(q quote) {
	switch {
	case r.tail != tailNone:
		r.fail(ReasonMalformed, r.pos, "closing brackets")
	case r.expect == expectAfter && r.line && r.top() == '{':
		r.repair(RepairMissingComma, r.ended)
		r.stack[len(r.stack)-1].commas++
		r.expect = expectKey
	case r.expect == expectArg:
		r.positional()
	case r.expect == expectColon || r.expect == expectAfter:
		r.failHere("value")
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

// strClass says what a byte is inside a string: 0 nothing special.
var strClass = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c < 0x20:
			t[c] = 1
		case c == '"' || c == '\'' || c == '<':
			t[c] = 2
		case c == '\\':
			t[c] = 3
		case c >= utf8.RuneSelf:
			t[c] = 4
		}
	}
	return t
}()

// inString goes on with a string and reports whether it ended. The closing
// quote is of the kind that opened it.
func (r *reader) inString() bool {
	i, t := r.scan, r.text
	for i < len(t) {
		class := strClass[t[i]]
		if class == 0 {
			i++
			if i+8 <= len(t) {
				i = plainRun(t, i)
			}
			continue
		}
		if class == 2 && r.quote == quoteDouble && t[i] != '"' {
			i++
			continue
		}
		switch class {
		case 1:
			r.flags |= hasControl
		case 3:
			if r.quote.raw() {
				break
			}
			if i+1 == len(t) {
				r.scan, r.pos = i, i
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
		case 4:
			r.flags |= hasHigh
			if r.quote != quoteSmart && r.quote != quoteSmartSingle {
				break
			}
			fallthrough
		case 2:
			if n, more := r.closing(t[i:]); n > 0 {
				r.endString(i, i+n)
				return true
			} else if more {
				r.scan, r.pos = i, i
				return false
			}
			if t[i] == '"' {
				r.flags |= hasQuote
			}
		}
		i++
	}
	r.scan, r.pos = i, i
	return false
}

// plainRun passes over whole words of eight bytes in which nothing stands that
// means something in a string, and returns where it came to.
func plainRun(t string, i int) int {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	bytes := unsafe.Slice(unsafe.StringData(t), len(t))
	for ; i+8 <= len(t); i += 8 {
		w := binary.LittleEndian.Uint64(bytes[i : i+8])
		quote, tick, slash, less := w^('"'*ones), w^('\''*ones), w^('\\'*ones), w^('<'*ones)
		hit := (w - 0x20*ones) | w | // below space, beyond ASCII
			(quote-ones)&^quote | (tick-ones)&^tick | (slash-ones)&^slash | (less-ones)&^less
		if hit&high != 0 {
			break
		}
	}
	return i
}

// closing returns the length of the closing quote that s begins with, and
// whether s is too short to tell.
func (r *reader) closing(s string) (n int, more bool) {
	want := ""
	switch r.quote {
	case quoteDouble:
		want = `"`
	case quoteSingle:
		want = "'"
	case quoteTriple:
		want = `"""`
	case quoteTripleSingle:
		want = "'''"
	case quoteGemma:
		want = `<|"|>`
	case quoteEscape:
		want = "<escape>"
	default:
		return closingSmart(s, r.quote, r.eof)
	}
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
	body := r.tokAt + quoteLen(r.quote)
	s := r.text[body:end]
	r.pos = next
	if r.failed() {
		r.badString(s)
		return
	}
	if r.expect == expectKey {
		r.beginKey()
		r.writeString(s, body)
		r.endKey(expectColon)
		return
	}
	r.element()
	at := len(r.out)
	r.writeString(s, body)
	if !r.failed() {
		r.stringEnded(at, s)
	}
}

// stringEnded notes a string that is a value: s in the source, written at at.
func (r *reader) stringEnded(at int, s string) {
	if n := len(r.stack); n <= 3 && len(r.parts) < maxParts {
		if r.stack[n-1].kind != '{' {
			r.parts = append(r.parts, part{at, Span{r.tokAt, r.pos}})
		}
		if r.stack[n-1].kind == '[' && n == 1 && !r.toolSeen {
			r.noteQuoted(s)
		}
	}
	if r.top() == '{' {
		m := r.keys[len(r.keys)-1]
		if r.openValue {
			r.noteName(string(r.out[m.key0+1:m.key1-1]), unquote(string(r.out[at:])))
		}
	}
	r.valueEnded()
}

// noteQuoted notices a list whose strings are calls, or a name before its
// arguments.
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
	r.expect, r.line = expectAfter, false
}

// bounded cuts what is only compared with names.
func bounded(s string) string { return s[:min(len(s), 4*maxName)] }

func quoteLen(q quote) int {
	switch q {
	case quoteDouble, quoteSingle:
		return 1
	case quoteSmart, quoteSmartSingle, quoteTriple, quoteTripleSingle:
		return 3
	case quoteGemma:
		return len(`<|"|>`)
	}
	return len("<escape>")
}
