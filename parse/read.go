package parse

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of one candidate.
const (
	maxDepth = 256     // nesting of objects, lists and calls
	maxCalls = 256     // calls of one list
	maxSize  = 1 << 30 // bytes of a reply
	maxNames = 16      // names that an unreadable candidate is asked for
	maxParts = 8 * maxCalls
)

// The codes of repairs.
const (
	RepairTrailingComma   RepairCode = "trailing-comma"
	RepairMissingComma    RepairCode = "missing-comma"
	RepairSingleQuotes    RepairCode = "single-quotes"
	RepairSmartQuotes     RepairCode = "smart-quotes"
	RepairPythonLiteral   RepairCode = "python-literal"
	RepairNumber          RepairCode = "number-form"
	RepairUnquotedKey     RepairCode = "unquoted-key"
	RepairComment         RepairCode = "comment"
	RepairRawControl      RepairCode = "raw-control"
	RepairOddSpace        RepairCode = "odd-space"
	RepairFullWidth       RepairCode = "full-width"
	RepairStrayCloser     RepairCode = "stray-closer"
	RepairLiteralNewline  RepairCode = "literal-newline"
	RepairDoubledEncoding RepairCode = "doubled-encoding"
	RepairCloser          RepairCode = "mismatched-closer"
	RepairMissingCloser   RepairCode = "missing-closer"
	RepairEscape          RepairCode = "invalid-escape"
	RepairWindowsPath     RepairCode = "windows-path"
	RepairSurrogate       RepairCode = "lone-surrogate"
	RepairUTF8            RepairCode = "invalid-utf8"
	RepairDoubledKey      RepairCode = "doubled-key"
	RepairMarkdownEscape  RepairCode = "markdown-escape"
	RepairColon           RepairCode = "colon-for-equals"
	RepairName            RepairCode = "name"
	RepairExtraKey        RepairCode = "extra-key"
	RepairArgsString      RepairCode = "arguments-string"
	RepairArgsMissing     RepairCode = "arguments-missing"
	RepairArgsList        RepairCode = "arguments-list"
	RepairFlatArgs        RepairCode = "flat-arguments"
	RepairPositional      RepairCode = "positional"
	RepairSchemaEcho      RepairCode = "schema-unwrapped"
	RepairDoubledCall     RepairCode = "doubled-call"
	RepairMissingTag      RepairCode = "missing-tag"
)

// A reader turns one candidate, from its opening bracket on, into canonical
// JSON while it is being written: compact, keys and digits as they stand,
// strings with the shortest escapes. Valid JSON passes without a repair; the
// slips of models are mended where they have one reading, and recorded.
//
// A call expression NAME(k=v) is written {"name":"NAME","arguments":{"k":v}};
// positional arguments become a list there.
//
// The reader keeps its state between pieces of the text, so each byte is looked
// at once, however the text is cut.
type reader struct {
	text string // the reply so far
	eof  bool   // nothing will follow
	pos  int    // the next byte

	start  int
	expect expect
	token  token
	tokAt  int   // where the token began
	scan   int   // how far a token has been looked at
	quote  quote // what ends the string
	flags  strFlag
	line   bool // a line break stands since the last value
	comma  int  // offset of the comma before, or -1
	tail   tail // what a mended closer leaves to come
	deep   int  // levels open beyond maxDepth
	sure   bool // what opened is a candidate
	inCall int  // calls open
	ended  int  // end of the last token that closed something or was a value

	calls  bool      // NAME(…) may be a value
	colons bool      // NAME(k: v) too
	reg    *registry // nil: no tools
	bare   bool      // unquoted keys belong to the dialect
	spaces bool      // white space may stand for the comma between arguments
	single bool      // the candidate is one value, wrapped in a list
	exprs  int       // call expressions
	quoted int       // strings that may be calls or names

	stack   []frame
	out     []byte
	keys    []member
	outer   int     // members of the outermost object, which stay in keys; 0 if unknown
	table   []int32 // of the keys' hashes
	seed    maphash.Seed
	parts   []part
	repairs []Repair
	problem Problem // Reason "" while all is well

	clues
}

// clues are what can be said of a candidate that is unclosed or unreadable.
type clues struct {
	first     int    // where the first key ends in the output, 0 if there is none
	names     int    // values of name keys that were looked up
	callKeys  bool   // a key of a call stands where a call would have it
	wrapped   bool   // the first key, or one behind a fault, is one of a wrapper
	schema    bool   // some key is one of a schema
	nameSeen  string // value of a name key where a call would have it, if it is not registered
	toolSeen  bool   // such a value, a callee or a lone key is
	openValue bool   // a name key's value has begun but not ended
	lastStr   string // unreadable candidates: the string before
	lastKey   string
}

// expect is what may come next.
type expect uint8

const (
	expectKey   expect = iota // a key or the end of the object
	expectColon               // between key and value
	expectValue               // a value; in a list also its end
	expectAfter               // after a value: a comma or a closer
	expectArg                 // an argument of a call, or its end
)

// token is a token that may go on in the next piece.
type token uint8

const (
	tokenNone token = iota
	tokenString
	tokenWord
	tokenLineComment
	tokenBlockComment
)

type quote uint8

const (
	quoteDouble quote = iota
	quoteSingle
	quoteSmart
	quoteSmartSingle
	quoteTriple       // Python's three, in the arguments of a call
	quoteTripleSingle // the same of the other kind
	quoteGemma
	quoteEscape
)

// quoteMarks are what opens each kind of string, and closes it, the smart ones apart.
var quoteMarks = [...]string{
	quoteDouble: `"`, quoteSingle: "'", quoteSmart: "“", quoteSmartSingle: "‘",
	quoteTriple: `"""`, quoteTripleSingle: "'''", quoteGemma: `<|"|>`, quoteEscape: "<escape>",
}

// raw reports whether a backslash in such a string is one and no more.
func (q quote) raw() bool { return q == quoteGemma || q == quoteEscape }

// strFlag says what stands in a string.
type strFlag uint8

const (
	hasEscape  strFlag = 1 << iota // some escape
	hasSlow                        // \/ or \u
	hasInvalid                     // an escape that JSON has not
	hasControl                     // a raw control character
	hasHigh                        // bytes beyond ASCII
	hasQuote                       // a double quote inside other quotes
)

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

// member is a key of an open object and, once read, its value, as ranges of
// the output.
type member struct {
	key0, key1 int
	val0, val1 int
	src        int
}

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

// status is how far a reader came.
type status uint8

const (
	readOn     status = iota // it goes on
	readMore                 // the text ended before the candidate
	readClosed               // the candidate is complete and ends at pos
	readCut                  // a closing marker at pos ends it before its closers
	readNot                  // it is no candidate: pos is where that showed
)

// begin starts a candidate whose opener, one of { [ (, stands at start.
func (r *reader) begin(start int) {
	r.idle(start)
	if whole := len(r.text) - start; cap(r.out) < whole/2 {
		r.out = make([]byte, 0, whole+64) // canonical JSON is seldom longer
	}
}

// idle clears the reader for the candidate at start, which need not be read.
func (r *reader) idle(start int) {
	r.pos, r.start, r.ended = start, start, start
	r.expect, r.token, r.comma = expectValue, tokenNone, -1
	r.line, r.tail, r.deep, r.inCall = false, tailNone, 0, 0
	r.sure = true
	r.calls, r.colons, r.bare, r.single = false, false, false, false
	r.exprs, r.quoted, r.outer = 0, 0, 0
	r.stack, r.out, r.keys, r.parts = r.stack[:0], r.out[:0], r.keys[:0], r.parts[:0]
	r.repairs, r.problem.Reason = r.repairs[:0], ""
	r.clues = clues{}
}

// repair records a change of spelling. After a problem nothing is repaired.
func (r *reader) repair(code RepairCode, at int) {
	if r.problem.Reason != "" {
		return
	}
	if n := len(r.repairs); n > 0 && r.repairs[n-1].Code == code && n >= 16 {
		return // a long run of the same slip needs no longer list
	}
	r.repairs = append(r.repairs, Repair{code, at})
}

// fail records the first problem. What follows is only followed to its end.
func (r *reader) fail(reason Reason, at int, expected string) {
	if r.problem.Reason != "" {
		return
	}
	r.problem = Problem{Reason: reason, Offset: at, Expected: expected}
	r.lastStr, r.lastKey = "", ""
}

func (r *reader) failed() bool { return r.problem.Reason != "" }

// run reads on to the end of the candidate or of the text; it never returns readOn.
func (r *reader) run() status {
	for r.pos < len(r.text) || r.token != tokenNone && r.eof || len(r.stack) == 0 {
		if len(r.stack) == 0 {
			if r.pos > r.start {
				return readClosed
			}
			r.push(r.text[r.pos])
			continue
		}
		if r.token != tokenNone {
			if !r.resume() {
				return readMore
			}
			continue
		}
		if !r.failed() && r.plain() || r.deep > 0 && r.beyond() {
			continue
		}
		if st := r.step(); st != readOn {
			return st
		}
	}
	return readMore
}

// resume goes on with the token at hand and reports whether it ended.
func (r *reader) resume() bool {
	switch r.token {
	case tokenString:
		return r.inString()
	case tokenWord:
		return r.inWord()
	case tokenLineComment:
		i := strings.IndexByte(r.text[r.pos:], '\n')
		if i < 0 {
			r.pos = len(r.text)
			return false
		}
		r.pos += i
	case tokenBlockComment:
		i := strings.Index(r.text[r.pos:], "*/")
		if i < 0 {
			r.pos = max(r.pos, len(r.text)-1)
			if r.eof {
				r.pos = len(r.text)
			}
			return false
		}
		r.pos += i + 2
	}
	r.token = tokenNone
	return true
}

// step reads one token.
func (r *reader) step() status {
	c := r.text[r.pos]
	if r.tail == tailOwes && len(r.stack) == 1 && r.top() == '{' && c != '}' && !isSpace(c) && !r.failed() {
		r.pos = r.ended // the ] was missing: all } have come
		r.pop()
		return readClosed
	}
	if r.notCandidate() && r.expect == expectColon && c < utf8.RuneSelf && !isSpace(c) && !strings.ContainsRune(`:/\`, rune(c)) {
		return readNot
	}
	switch c {
	case '\n':
		r.line = true
		r.pos++
	case ' ', '\t', '\r':
		r.pos++
	case '{', '[', '(':
		if r.notCandidate() {
			return readNot
		}
		r.open(c)
	case '}', ']', ')':
		if c != '}' && r.notCandidate() {
			return readNot
		}
		r.close(c)
	case ',':
		if r.notCandidate() {
			return readNot
		}
		r.sawComma(1)
	case ':':
		if r.notCandidate() && r.expect != expectColon {
			return readNot
		}
		r.sawColon(1)
	case '=':
		if r.notCandidate() {
			return readNot
		}
		r.equals()
	case '"', '\'':
		return r.quotes(c)
	case '/':
		return r.slash()
	case '#':
		r.hash()
	case '\\':
		return r.backslash()
	case '<', '`':
		return r.marker(c)
	default:
		return r.other(c)
	}
	return readOn
}

// other reads a word or a character beyond ASCII.
func (r *reader) other(c byte) status {
	if c >= utf8.RuneSelf {
		return r.wide()
	}
	if isWordByte(c) {
		if r.notCandidate() && (r.expect != expectKey || !isLetter(c)) {
			return readNot
		}
		r.token, r.tokAt = tokenWord, r.pos
		r.inWord()
		return readOn
	}
	if r.notCandidate() {
		return readNot
	}
	r.bad()
	return readOn
}

// notCandidate reports whether nothing but the opening brace has been read, so
// that what stands at pos shows that it opens no candidate.
func (r *reader) notCandidate() bool {
	return !r.sure && len(r.stack) == 1
}

// bad passes over one character that has no place here.
func (r *reader) bad() {
	r.failHere()
	r.pos++
}

// failHere fails with what was expected at pos.
func (r *reader) failHere() {
	if r.failed() {
		return
	}
	reason, expected := ReasonMalformed, "value"
	switch r.expect {
	case expectKey:
		expected = "a key or }"
	case expectColon:
		expected = ":"
		if r.top() == '(' {
			reason, expected = ReasonBadArgs, "name=literal"
		}
	case expectAfter:
		expected = ", or " + closers(r.top())
	case expectValue:
		if r.inArgs() {
			reason = ReasonBadArgs
			expected = "a literal"
		}
	case expectArg:
		reason = ReasonBadArgs
		expected = "name=literal"
	}
	r.fail(reason, r.pos, expected)
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

// top is the kind of the innermost open container, 0 if there is none.
func (r *reader) top() byte {
	if len(r.stack) == 0 {
		return 0
	}
	return r.stack[len(r.stack)-1].kind
}

// inArgs reports whether an enclosing container is the arguments of a call.
func (r *reader) inArgs() bool { return r.inCall > 0 }

// wide reads one character beyond ASCII between tokens.
func (r *reader) wide() status {
	s := r.text[r.pos:]
	if !utf8.FullRuneInString(s) && !r.eof {
		return readMore
	}
	c, n := utf8.DecodeRuneInString(s)
	if r.notCandidate() && r.expect == expectColon && c != '：' && !unicode.IsSpace(c) {
		return readNot
	}
	switch c {
	case '“', '”', '„':
		r.openString(quoteSmart)
	case '‘', '’':
		r.openString(quoteSmartSingle)
	case '：':
		r.repair(RepairFullWidth, r.pos)
		r.sawColon(n)
	case '，':
		r.repair(RepairFullWidth, r.pos)
		r.sawComma(n)
	default:
		if unicode.IsSpace(c) || isInvisible(c) {
			r.repair(RepairOddSpace, r.pos)
			r.pos += n
			break
		}
		if r.notCandidate() {
			return readNot
		}
		if r.expect == expectKey && c != utf8.RuneError {
			r.token, r.tokAt = tokenWord, r.pos
			return readOn
		}
		r.failHere()
		r.pos += n
	}
	return readOn
}

// slash reads a comment.
func (r *reader) slash() status {
	if r.pos+1 == len(r.text) && !r.eof {
		return readMore
	}
	switch {
	case strings.HasPrefix(r.text[r.pos:], "//"):
		r.token = tokenLineComment
	case strings.HasPrefix(r.text[r.pos:], "/*"):
		r.token = tokenBlockComment
	default:
		if r.notCandidate() {
			return readNot
		}
		r.bad()
		return readOn
	}
	r.repair(RepairComment, r.pos)
	r.tokAt = r.pos
	r.pos += 2
	return readOn
}

// hash reads a Python comment.
func (r *reader) hash() {
	if r.expect == expectColon {
		r.bad()
		return
	}
	r.repair(RepairComment, r.pos)
	r.token, r.tokAt = tokenLineComment, r.pos
	r.pos++
}

// backslash reads an escape written between tokens: \n where a line break is
// meant, \_ inside a word.
func (r *reader) backslash() status {
	if r.pos+1 == len(r.text) {
		if r.eof {
			r.bad()
			return readOn
		}
		return readMore
	}
	switch r.text[r.pos+1] {
	case 'n', 't', 'r':
		r.repair(RepairLiteralNewline, r.pos)
		r.pos += 2
	case '_':
		r.token, r.tokAt = tokenWord, r.pos
	default:
		if r.notCandidate() {
			return readNot
		}
		r.bad()
	}
	return readOn
}

// marker reads a quote token, or ends the candidate where the model ended it
// with a closing marker although closers are missing.
func (r *reader) marker(c byte) status {
	rest := r.text[r.pos:]
	if c == '<' {
		for _, q := range [...]quote{quoteGemma, quoteEscape} {
			if strings.HasPrefix(rest, quoteMarks[q]) {
				r.openString(q)
				return readOn
			}
			if !r.eof && strings.HasPrefix(quoteMarks[q], rest) {
				return readMore
			}
		}
	}
	if r.expect == expectAfter && !r.failed() && r.onlyObjects() && r.pos > r.ended || r.closedValue() {
		switch endsCall(r.text, r.pos, r.eof) {
		case yes:
			return readCut
		case maybe:
			return readMore
		}
	}
	if r.notCandidate() {
		return readNot
	}
	r.bad()
	return readOn
}

// closedValue reports whether the last token closed a string, an object or a
// list, so that what follows directly cannot be a part of it.
func (r *reader) closedValue() bool {
	if r.expect != expectAfter || r.failed() || !r.onlyObjects() || r.ended == 0 {
		return false
	}
	switch r.text[r.ended-1] {
	case '}', ']', '"', '\'', '>':
		return true
	}
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

// frame adds a frame for a container of kind c.
func (r *reader) frame(c byte) *frame {
	r.stack = append(r.stack, frame{})
	f := &r.stack[len(r.stack)-1]
	f.kind, f.keys, f.parts = c, len(r.keys), len(r.parts)
	return f
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
	r.line = false
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
		v := r.out[m.val0]
		return (v == '{' || v == '[') && isWrapperKey(view(r.out[m.key0+1:m.key1-1]))
	}
	if f.kind == '(' || f.kind == '{' && !slices.ContainsFunc(r.keys[f.keys:], wraps) {
		r.parts = r.parts[:f.parts]
	}
}

// valueEnded notes that a value is complete.
func (r *reader) valueEnded() {
	r.expect, r.line, r.ended = expectAfter, false, r.pos
	if len(r.stack) == 0 || r.failed() {
		return
	}
	f := &r.stack[len(r.stack)-1]
	if (f.kind == '{' || f.args == argsNamed) && len(r.keys) > f.keys {
		r.keys[len(r.keys)-1].val1 = len(r.out)
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
		r.expect, r.line = expectAfter, false
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if closers(r.stack[i].kind)[0] == c {
			r.stack = r.stack[:i]
			r.expect, r.line = expectAfter, false
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
			r.expect, r.line = expectAfter, false
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

// sawComma reads a comma of n bytes.
func (r *reader) sawComma(n int) {
	at := r.pos
	f := &r.stack[len(r.stack)-1]
	if r.failed() {
		r.pos += n
		r.next(f.kind)
		return
	}
	switch {
	case r.tail != tailNone:
		r.fail(ReasonMalformed, at, "closing brackets")
	case r.expect == expectAfter:
		f.commas++
	case (r.expect == expectKey || r.expect == expectArg || r.expect == expectValue && f.kind != '{' && f.args != argsNamed) && r.comma >= 0:
		r.repair(RepairTrailingComma, at) // doubled
	case r.expect == expectKey && f.n == 0 && r.sure && !r.callDepth():
		r.repair(RepairTrailingComma, at) // leading; no call begins so
	default:
		r.failHere()
	}
	r.pos += n
	r.comma = at
	r.next(f.kind)
}

// sawColon reads a colon of n bytes.
func (r *reader) sawColon(n int) {
	switch {
	case r.failed():
		r.lastKey, r.lastStr = r.lastStr, ""
		r.wrapped = r.wrapped || isWrapperKey(r.lastKey)
		r.expect = expectValue
	case r.expect == expectColon && r.top() == '(':
		if !r.colons || !r.declared() {
			r.failHere()
			break
		}
		r.repair(RepairColon, r.pos)
		r.expect = expectValue
	case r.expect == expectColon:
		r.expect, r.sure = expectValue, true
	default:
		r.failHere()
	}
	r.pos += n
}

// declared reports whether the schema of the innermost call has the argument
// whose name was just read.
func (r *reader) declared() bool {
	f := r.stack[len(r.stack)-1]
	name := r.out[f.out+len(`{"name":"`):]
	name = name[:bytes.IndexByte(name, '"')]
	tool, _ := r.reg.lookup(string(name))
	return r.reg.of(tool).has(r.key(len(r.keys) - 1))
}

// equals reads the = of a named argument.
func (r *reader) equals() {
	switch {
	case r.failed():
		r.expect = expectValue
	case r.expect == expectColon && r.top() == '(':
		r.expect = expectValue
	default:
		r.failHere()
	}
	r.pos++
}

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

// beginKey starts a member of the innermost object or of named arguments.
func (r *reader) beginKey() {
	f := &r.stack[len(r.stack)-1]
	if f.n > 0 {
		r.out = append(r.out, ',')
	}
	f.n++
	r.comma = -1
	r.keys = append(r.keys, member{})
	m := &r.keys[len(r.keys)-1]
	m.key0, m.src = len(r.out), r.tokAt
}

// endKey notes the key that was just written.
func (r *reader) endKey() {
	m := &r.keys[len(r.keys)-1]
	m.key1 = len(r.out)
	r.out = append(r.out, ':')
	m.val0 = len(r.out)
	r.expect = expectColon
	key := r.key(len(r.keys) - 1)
	r.schema = r.schema || key == "properties"
	if len(r.keys) == 1 && r.first == 0 {
		r.first = m.key1
		r.wrapped = isWrapperKey(key)
	}
	if r.callDepth() {
		r.openValue = isNameKey(key)
		r.callKeys = r.callKeys || r.openValue || isWrapperKey(key)
	}
}

// key is the key of member i, as it is written.
func (r *reader) key(i int) string {
	m := &r.keys[i]
	return view(r.out[m.key0+1 : m.key1-1])
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

// checkKeys refuses keys that stand twice with different values, and removes
// those that stand twice with the same.
func (r *reader) checkKeys(f *frame) {
	ms := r.keys[f.keys:]
	if len(ms) < 2 || r.failed() || !r.hasDouble(ms) {
		return
	}
	seen := make(map[string]int, len(ms))
	out := make([]byte, 0, len(r.out)-ms[0].key0)
	parts := r.parts[f.parts:]
	r.parts = r.parts[:f.parts]
	for k, m := range ms {
		n := 0
		for n < len(parts) && parts[n].out < m.val1 {
			n++
		}
		inside := parts[:n]
		parts = parts[n:]
		key := string(r.out[m.key0:m.key1])
		if at, ok := seen[key]; ok {
			if o := ms[at]; string(r.out[o.val0:o.val1]) != string(r.out[m.val0:m.val1]) {
				r.fail(ReasonDuplicateKey, m.src, "one value for "+key)
				return
			}
			r.repair(RepairDoubledKey, m.src)
			continue
		}
		seen[key] = k
		if len(out) > 0 {
			out = append(out, ',')
		}
		by := m.key0 - (ms[0].key0 + len(out))
		for _, p := range inside {
			r.parts = append(r.parts, part{p.out - by, p.span})
		}
		out = append(out, r.out[m.key0:m.val1]...)
	}
	r.out = append(r.out[:ms[0].key0], out...)
	r.keys = r.keys[:f.keys] // their places have changed
}

// hasDouble reports whether two members have the same key.
func (r *reader) hasDouble(ms []member) bool {
	if len(ms) > 32 {
		return r.hasDoubleHash(ms)
	}
	if len(ms) == 2 {
		return r.sameKey(&ms[0], &ms[1])
	}
	var table [64]uint8
	for j := range ms {
		m := &ms[j]
		h := keyEnd(r.out[m.key0:m.key1]) * 0x9E3779B97F4A7C15 >> 58
		for ; table[h] != 0; h = (h + 1) % uint64(len(table)) {
			if r.sameKey(&ms[table[h]-1], m) {
				return true
			}
		}
		table[h] = uint8(j + 1)
	}
	return false
}

// keyEnd is the last eight bytes of a key, in which different keys mostly differ.
func keyEnd(key []byte) (end uint64) {
	if n := len(key); n >= 8 {
		return binary.LittleEndian.Uint64(key[n-8:])
	}
	for _, c := range key {
		end = end<<8 | uint64(c)
	}
	return end
}

func (r *reader) sameKey(a, b *member) bool {
	return a.key1-a.key0 == b.key1-b.key0 && string(r.out[a.key0:a.key1]) == string(r.out[b.key0:b.key1])
}

// hasDoubleHash is hasDouble for many members: a table of their hashes, whose
// seed a model cannot know.
func (r *reader) hasDoubleHash(ms []member) bool {
	if r.seed == (maphash.Seed{}) {
		r.seed = maphash.MakeSeed()
	}
	size := 1 << bits.Len(uint(2*len(ms)))
	if cap(r.table) < size {
		r.table = make([]int32, size)
	}
	r.table = r.table[:size]
	clear(r.table)
	for j := range ms {
		m := &ms[j]
		h := int(maphash.Bytes(r.seed, r.out[m.key0:m.key1])) & (size - 1)
		for ; r.table[h] != 0; h = (h + 1) & (size - 1) {
			if r.sameKey(&ms[r.table[h]-1], m) {
				return true
			}
		}
		r.table[h] = int32(j + 1)
	}
	return false
}

// beginCall starts a candidate NAME(…) whose name, n bytes long and followed
// by (, stands at start.
func (r *reader) beginCall(start, n int, colons bool) {
	r.begin(start)
	r.calls, r.colons = true, colons
	r.tokAt, r.pos = start, start+n
	r.openCall(r.text[start : start+n])
}

// beginAny starts a candidate that is a container or one string, at start.
func (r *reader) beginAny(start int) {
	if c := r.text[start]; c == '"' || c == '\'' || strings.HasPrefix(r.text[start:], "“") {
		r.beginValue(start)
		return
	}
	r.begin(start)
}

// beginValue starts a candidate that is one string, at start. It is written as
// a list of one.
func (r *reader) beginValue(start int) {
	r.begin(start)
	r.single = true
	r.frame('[').src = start
	r.out = append(r.out, '[')
}
