package builtin

import (
	"fmt"
	"go/scanner"
	"go/token"
	"math/big"
	"strings"

	"github.com/localagent/localagent/tools/internal/cut"
)

// Limits of an expression, so that every one is answered at once.
const (
	maxExpr    = 4096    // bytes
	maxNesting = 100     // brackets, signs and powers inside each other
	maxBits    = 1 << 14 // of a numerator or denominator: about 4,900 digits
)

// eval computes an expression:
//
//	expr    = unary { op unary }           op: + - below * / % below ^ **
//	unary   = { "+" | "-" } operand        binds tighter than * and looser than ^
//	operand = ( number | constant | function "(" expr { "," expr } ")" | "(" expr ")" ) { "!" }
//
// ^ and ** are the same and right-associative, so -2^2 is -4 and 2^3^2 is 512.
func eval(expr string) (number, error) {
	if len(expr) > maxExpr {
		return number{}, fmt.Errorf("the expression has %d bytes; at most %d are read: compute it in parts", len(expr), maxExpr)
	}
	r := &reader{src: expr, toks: tokens(expr)}
	if r.peek().is(token.EOF) {
		return number{}, fmt.Errorf(`the expression is empty; write one such as "2*(3+4)"`)
	}
	x, err := r.binary(1)
	if err == nil && !r.peek().is(token.EOF) {
		err = r.unexpected("an operator")
	}
	return x, err
}

// power is ** as a token, which Go does not have.
const power = token.XOR

// A lexeme is a token with its place.
type lexeme struct {
	tok  token.Token
	text string
	pos  int // byte offset
}

func (l lexeme) is(t token.Token) bool { return l.tok == t }

// other spellings of the operators.
var spellings = map[string]token.Token{"×": token.MUL, "·": token.MUL, "÷": token.QUO, "−": token.SUB, "–": token.SUB}

// tokens reads an expression with Go's scanner. What Go scans otherwise is put
// right: -- is two signs, ** a power, a line break nothing. Comments stay, so
// that 7//2 is refused and not read as 7.
func tokens(expr string) []lexeme {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(expr))
	s.Init(file, []byte(expr), func(token.Position, string) {}, scanner.ScanComments)
	var ls []lexeme
	for {
		p, tok, text := s.Scan()
		pos := file.Offset(p)
		if text == "" {
			text = tok.String()
		}
		if t, ok := spellings[text]; ok {
			tok = t
		}
		switch {
		case tok == token.EOF:
			return append(ls, lexeme{tok, "", len(expr)})
		case tok == token.SEMICOLON && text == "\n":
		case tok == token.INC:
			ls = append(ls, lexeme{token.ADD, "+", pos}, lexeme{token.ADD, "+", pos + 1})
		case tok == token.DEC:
			ls = append(ls, lexeme{token.SUB, "-", pos}, lexeme{token.SUB, "-", pos + 1})
		case tok == token.MUL && len(ls) > 0 && ls[len(ls)-1] == lexeme{token.MUL, "*", pos - 1}:
			ls[len(ls)-1] = lexeme{power, "**", pos - 1}
		default:
			ls = append(ls, lexeme{tok, text, pos})
		}
	}
}

// A reader computes while it reads.
type reader struct {
	src   string
	toks  []lexeme
	next  int
	depth int
}

func (r *reader) peek() lexeme { return r.toks[r.next] }

// take consumes the next token if it is t.
func (r *reader) take(t token.Token) bool {
	if !r.peek().is(t) {
		return false
	}
	r.next++
	return true
}

const (
	unaryLevel = 3
	powerLevel = 4
)

func level(t token.Token) int {
	switch t {
	case token.ADD, token.SUB:
		return 1
	case token.MUL, token.QUO, token.REM:
		return 2
	case power:
		return powerLevel
	}
	return 0
}

// binary reads operators of at least this level.
func (r *reader) binary(least int) (number, error) {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxNesting {
		return number{}, fmt.Errorf("nested deeper than %d at character %d: compute it in parts", maxNesting, r.peek().pos+1)
	}
	x, err := r.unary()
	for err == nil {
		op := r.peek()
		l := level(op.tok)
		if l == 0 || l < least {
			break
		}
		r.next++
		if l < powerLevel {
			l++ // left-associative
		}
		var y number
		if y, err = r.binary(l); err == nil {
			x, err = apply(op.tok, x, y)
		}
	}
	return x, err
}

func (r *reader) unary() (number, error) {
	switch {
	case r.take(token.SUB):
		x, err := r.binary(unaryLevel)
		return neg(x), err
	case r.take(token.ADD):
		return r.binary(unaryLevel)
	}
	x, err := r.operand()
	for err == nil && r.take(token.NOT) {
		x, err = factorial(x)
	}
	return x, err
}

func (r *reader) operand() (number, error) {
	l := r.peek()
	switch {
	case l.is(token.INT) || l.is(token.FLOAT):
		r.next++
		return literal(l)
	case r.take(token.LPAREN):
		return r.group()
	case l.is(token.IDENT) || l.tok.IsKeyword():
		r.next++
		return r.named(l)
	}
	return number{}, r.unexpected("a number")
}

// group reads what follows an opening bracket.
func (r *reader) group() (number, error) {
	x, err := r.binary(1)
	if err == nil && !r.take(token.RPAREN) {
		err = r.unexpected(`")"`)
	}
	return x, err
}

// named reads a constant or a call. Python's math. and JavaScript's Math. in
// front of it mean nothing.
func (r *reader) named(l lexeme) (number, error) {
	name := strings.ToLower(l.text)
	if name == "math" && r.take(token.PERIOD) {
		return r.operand()
	}
	if c, ok := constants[name]; ok {
		return c, nil
	}
	f, ok := functions[name]
	switch {
	case name == "log":
		return number{}, r.wrong(l, "log can mean two things: write ln, log2 or log10")
	case !ok:
		return number{}, r.wrong(l, "there are these functions: "+functionNames)
	case !r.take(token.LPAREN):
		return number{}, r.unexpected(`"(" after ` + l.text)
	}
	args, err := r.args()
	if err != nil {
		return number{}, err
	}
	if len(args) < f.min || f.max > 0 && len(args) > f.max {
		return number{}, r.wrong(l, f.wants())
	}
	return f.do(args)
}

func (r *reader) args() ([]number, error) {
	var xs []number
	for {
		x, err := r.binary(1)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
		if r.take(token.RPAREN) {
			return xs, nil
		}
		if !r.take(token.COMMA) {
			return nil, r.unexpected(`"," or ")"`)
		}
	}
}

// unexpected says what stands at the next token, and what to do about the
// usual mistakes.
func (r *reader) unexpected(want string) error {
	l := r.peek()
	hint := ""
	switch {
	case l.is(token.EOF):
		return fmt.Errorf("the expression ends too early after %s: %s must follow", quoteEnd(r.src), want)
	case l.is(token.COMMA):
		hint = "; numbers have no thousands separators"
	case l.is(token.COMMENT):
		hint = "; for a whole quotient write floor(a/b)"
	case r.next > 0 && r.toks[r.next-1].is(token.REM):
		hint = "; % is the remainder: write 15/100 for 15 percent"
	case l.is(token.LPAREN) || l.is(token.INT) || l.is(token.FLOAT) || l.is(token.IDENT):
		hint = "; a product needs *"
	}
	return r.wrong(l, "expecting "+want+hint)
}

func (r *reader) wrong(l lexeme, what string) error {
	return fmt.Errorf("%.40q at character %d: %s", l.text, len([]rune(r.src[:l.pos]))+1, what)
}

func quoteEnd(s string) string {
	s = strings.TrimSpace(s)
	return fmt.Sprintf("%q", s[cut.Start(s, len(s)-20):])
}

// literal reads a number as people write it: a leading zero means nothing, _
// between digits neither.
func literal(l lexeme) (number, error) {
	text := strings.ReplaceAll(l.text, "_", "")
	bad := fmt.Errorf("%.40q at character %d is not a number", l.text, l.pos+1)
	if len(text) > 1 && strings.ContainsRune("xXbBoO", rune(text[1])) {
		if n, ok := new(big.Int).SetString(text, 0); ok {
			return sized(new(big.Rat).SetInt(n))
		}
		return number{}, bad
	}
	// A large exponent is refused before it is computed.
	if _, exp, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exp, "+-0")) > 4 {
		return number{}, errTooLarge
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return number{}, bad
	}
	return sized(x)
}
