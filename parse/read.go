package parse

import (
	"bytes"
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of one candidate.
const (
	maxDepth = 256          // nesting of objects, lists and calls
	maxCalls = 256          // calls of one list
	maxNames = 16           // values of name keys that are looked up
	maxParts = 8 * maxCalls // values whose places are kept
)

// A reader turns one candidate, from its opening bracket on, into canonical
// JSON while it is being written: compact, keys and digits as they stand,
// strings with the shortest escapes. Valid JSON passes without a repair; the
// slips of models are mended where they have one reading, and recorded.
//
// A call expression NAME(k=v) is written {"name":"NAME","arguments":{"k":v}};
// positional arguments become a list there.
//
// The reader keeps its state between chunks, so each byte is looked at once,
// however the text is cut.
type reader struct {
	text  string // the reply so far
	eof   bool   // nothing will follow
	start int    // where the candidate begins
	pos   int    // the next byte

	// Where it stands between tokens.
	expect  expect
	newline bool // a line break stands since the last value
	comma   int  // offset of the comma directly before, or -1
	ended   int  // end of the last token that closed something or was a value
	tail    tail // what a mended closer leaves to come
	inCall  int  // how many calls are open
	deep    int  // how many levels are open beyond maxDepth
	sure    bool // what opened is a candidate, and not only a brace in prose

	// The token that is being read.
	token   token
	tokAt   int     // where it began
	scanned int     // how far it has been looked at
	quote   quote   // of a string: what ends it
	flags   strFlag // of a string: what stands in it

	// What is read as what.
	reg    *registry // nil: no tools
	calls  bool      // NAME(…) may be a value
	colons bool      // NAME(k: v) too
	bare   bool      // unquoted keys belong to the dialect
	spaces bool      // white space may stand for the comma between arguments
	single bool      // the candidate is one value, wrapped in a list

	// What has been read.
	stack   []frame
	out     []byte // canonical JSON
	keys    []member
	outer   int // members of the outermost object, which stay in keys; 0 if unknown
	parts   []part
	exprs   int // call expressions
	quoted  int // strings that may be calls or names
	repairs []Repair
	problem Problem // Reason "" while all is well
	clues

	// For [reader.hasDoubleHash].
	table []int32
	seed  maphash.Seed
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

// token is a token that may go on in the next chunk.
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
	quoteRaw          // Python's r"…", here and below without the r
	quoteRawSingle
	quoteRawTriple
	quoteRawTripleSingle
	quoteGemma
	quoteEscape
	quoteTick // of a code span around a call in a list
)

// quoteMarks are what opens each kind of string, and closes it, the smart ones apart.
var quoteMarks = [...]string{
	quoteDouble: `"`, quoteSingle: "'", quoteSmart: "“", quoteSmartSingle: "‘",
	quoteTriple: `"""`, quoteTripleSingle: "'''",
	quoteRaw: `"`, quoteRawSingle: "'", quoteRawTriple: `"""`, quoteRawTripleSingle: "'''",
	quoteGemma: `<|"|>`, quoteEscape: "<escape>", quoteTick: "`",
}

// raw reports whether each backslash in such a string belongs to its value.
func (q quote) raw() bool { return q >= quoteRaw }

// escapes reports whether a quote behind a backslash does not end such a string.
func (q quote) escapes() bool { return q < quoteGemma }

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
	r.newline, r.tail, r.deep, r.inCall = false, tailNone, 0, 0
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
		r.endComment()
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
		r.newline = true
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
	case ';':
		if r.expect != expectAfter || r.exprs == 0 || len(r.stack) != 1 || r.top() != '[' || r.failed() {
			return r.other(c)
		}
		r.repair(RepairMissingComma, r.pos) // Java and JavaScript end calls so
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
		return r.quotes(c, false)
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
	if (c == 'r' || c == 'R') && r.takesLiteral() && !r.failed() {
		if st, is := r.rawString(); is {
			return st
		}
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

// hidesMember reports whether an object seems to go on, or to end, in a comment.
func hidesMember(comment string) bool {
	for part := range strings.SplitSeq(comment, ",") {
		if part = strings.TrimLeft(part, " "); part != "" && (part[0] == '"' || part[0] == '\'') || strings.Contains(part, "}") {
			return true
		}
	}
	return false
}

// endComment notes that the comment of a line ends at pos. If it began directly behind a
// value of an object and what the object goes on with stands in it, it was none.
func (r *reader) endComment() {
	if !r.failed() && r.expect == expectAfter && r.ended == r.tokAt && r.top() == '{' && hidesMember(r.text[r.tokAt:r.pos]) {
		r.fail(ReasonMalformed, r.tokAt, ", or }")
		r.pos = r.tokAt + 1
		if r.text[r.pos] == '/' {
			r.pos++
		}
	}
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
			switch begins(rest, quoteMarks[q], r.eof) {
			case yes:
				r.openString(q)
				return readOn
			case maybe:
				return readMore
			}
		}
	}
	if c == '`' && r.takesTick() {
		r.openString(quoteTick)
		return readOn
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

// takesTick reports whether a code span around a call may begin here: in the outermost
// list, whose elements so far are strings.
func (r *reader) takesTick() bool {
	return r.calls && len(r.stack) == 1 && r.expect == expectValue && r.exprs == 0 && !r.failed() &&
		(r.stack[0].n == 0 || r.quoted > 0)
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

// frame adds a frame for a container of kind c.
func (r *reader) frame(c byte) *frame {
	r.stack = append(r.stack, frame{})
	f := &r.stack[len(r.stack)-1]
	f.kind, f.keys, f.parts = c, len(r.keys), len(r.parts)
	return f
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

// key is the key of member i, as it is written.
func (r *reader) key(i int) string {
	m := &r.keys[i]
	return view(r.out[m.keyAt+1 : m.keyEnd-1])
}

// beginCall starts a candidate NAME(…) whose name, n bytes long and followed
// by (, perhaps behind spaces, stands at start.
func (r *reader) beginCall(start, n int, colons bool) {
	r.begin(start)
	r.calls, r.colons = true, colons
	r.tokAt, r.pos = start, blanks(r.text, start+n)
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

// canonical is what the reader wrote, valid until it begins again.
func (r *reader) canonical() string { return view(r.out) }
