package builtin

import (
	"errors"
	"fmt"
	"go/token"
	"math"
	"math/big"
)

// A number is an exact fraction, or one of the three things that are none.
type number struct {
	rat    *big.Rat // nil: it is float
	float  float64  // Inf, -Inf or NaN
	approx bool     // came out of float64 arithmetic
}

var (
	errTooLarge = errors.New("the result would have more than 4,900 digits; nothing so large is computed")
	errNoFloat  = errors.New("a value on the way is too large or too small for this function")
	errRange    = errors.New("the result is too large or too small for this function")
)

func exact(r *big.Rat) number   { return number{rat: r} }
func special(f float64) number  { return number{float: f} }
func whole(n *big.Int) number   { return exact(new(big.Rat).SetInt(n)) }
func integer(n int64) number    { return exact(new(big.Rat).SetInt64(n)) }
func (x number) isFinite() bool { return x.rat != nil }
func (x number) isInt() bool    { return x.rat != nil && x.rat.IsInt() }

// sized returns a value unless it is too large to go on with.
func sized(r *big.Rat) (number, error) {
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return number{}, errTooLarge
	}
	return exact(r), nil
}

// rough returns a float64 result. One that overflowed is no infinity.
func rough(f float64) (number, error) {
	if math.IsInf(f, 0) {
		return number{}, errRange
	}
	if math.IsNaN(f) {
		return special(f), nil
	}
	return number{rat: new(big.Rat).SetFloat64(f), approx: true}, nil
}

// float64 is exact for the three that are no fraction; a fraction too large or
// too small for it is an error.
func (x number) float64() (float64, error) {
	if !x.isFinite() {
		return x.float, nil
	}
	f, _ := x.rat.Float64()
	if math.IsInf(f, 0) || f == 0 && x.rat.Sign() != 0 {
		return 0, errNoFloat
	}
	return f, nil
}

// sign stands for a fraction beside an infinity, where only its sign matters.
func (x number) sign() float64 {
	if x.isFinite() {
		return float64(x.rat.Sign())
	}
	return x.float
}

func neg(x number) number {
	if !x.isFinite() {
		return special(-x.float)
	}
	return number{rat: new(big.Rat).Neg(x.rat), approx: x.approx}
}

// apply computes a binary operation. Dividing by zero gives what IEEE 754
// gives; the remainder has the sign of the dividend, as in Go, C and
// JavaScript.
func apply(op token.Token, x, y number) (number, error) {
	if op == power {
		return pow(x, y)
	}
	if !x.isFinite() || !y.isFinite() || (op == token.QUO || op == token.REM) && y.rat.Sign() == 0 {
		return applySpecial(op, x, y), nil
	}
	z := new(big.Rat)
	switch op {
	case token.ADD:
		z.Add(x.rat, y.rat)
	case token.SUB:
		z.Sub(x.rat, y.rat)
	case token.MUL:
		z.Mul(x.rat, y.rat)
	case token.QUO:
		z.Quo(x.rat, y.rat)
	case token.REM:
		q := toInt(z.Quo(x.rat, y.rat), truncate)
		z.Sub(x.rat, z.Mul(new(big.Rat).SetInt(q), y.rat))
	}
	n, err := sized(z)
	n.approx = x.approx || y.approx
	return n, err
}

func applySpecial(op token.Token, x, y number) number {
	a, b := x.sign(), y.sign()
	switch op {
	case token.ADD:
		return special(a + b)
	case token.SUB:
		return special(a - b)
	case token.MUL:
		return special(a * b)
	case token.QUO:
		if x.isFinite() && !y.isFinite() && !math.IsNaN(b) {
			return integer(0)
		}
		return special(a / b)
	}
	if x.isFinite() && math.IsInf(b, 0) {
		return x
	}
	return special(math.NaN())
}

// pow is exact for whole exponents and for roots that come out even.
func pow(x, y number) (number, error) {
	switch {
	case !x.isFinite() || !y.isFinite():
		return powSpecial(x, y)
	case y.isInt():
		z, err := powInt(x, y.rat.Num())
		z.approx = z.isFinite() && x.approx
		return z, err
	case x.rat.Sign() < 0:
		return special(math.NaN()), nil // no complex numbers
	case x.rat.Sign() == 0:
		return powInt(x, big.NewInt(int64(y.rat.Sign())))
	}
	if q := y.rat.Denom(); q.IsInt64() && q.Int64() <= 64 && !x.approx {
		if r, ok := root(x.rat, int(q.Int64())); ok {
			return powInt(exact(r), y.rat.Num())
		}
	}
	a, err1 := x.float64()
	b, err2 := y.float64()
	if err := errors.Join(err1, err2); err != nil {
		return number{}, errNoFloat
	}
	return roughPositive(math.Pow(a, b))
}

// roughPositive is rough for what is never zero: a zero is what is left of a
// result too small for a float64.
func roughPositive(f float64) (number, error) {
	if f == 0 {
		return number{}, errRange
	}
	return rough(f)
}

func powSpecial(x, y number) (number, error) {
	a, err1 := x.float64()
	b, err2 := y.float64()
	if err1 != nil || err2 != nil {
		return number{}, errNoFloat
	}
	f := math.Pow(a, b)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return special(f), nil
	}
	return exact(new(big.Rat).SetFloat64(f)), nil
}

// powInt refuses a large result before computing it: each factor adds at least
// one bit less than the base has.
func powInt(x number, n *big.Int) (number, error) {
	num, den := x.rat.Num(), x.rat.Denom()
	bits := max(num.BitLen(), den.BitLen())
	switch {
	case bits <= 1 && (num.Sign() > 0 || n.Sign() == 0): // 1, and 0^0
		return integer(1), nil
	case bits <= 1 && num.Sign() < 0: // -1
		return integer(1 - 2*int64(n.Bit(0))), nil
	case num.Sign() == 0 && n.Sign() < 0:
		return special(math.Inf(1)), nil
	case num.Sign() == 0:
		return integer(0), nil
	case !n.IsInt64() || int64(bits-1)*min(abs(n.Int64()), maxBits+1) > maxBits:
		return number{}, errTooLarge
	}
	e := new(big.Int).Abs(n)
	z := new(big.Rat).SetFrac(new(big.Int).Exp(num, e, nil), new(big.Int).Exp(den, e, nil))
	if n.Sign() < 0 {
		z.Inv(z)
	}
	return sized(z)
}

func abs(n int64) int64 { return max(n, -n) }

// root returns the q-th root of a positive fraction, if it is one itself.
func root(x *big.Rat, q int) (*big.Rat, bool) {
	n, ok1 := rootInt(x.Num(), q)
	d, ok2 := rootInt(x.Denom(), q)
	if !ok1 || !ok2 {
		return nil, false
	}
	return new(big.Rat).SetFrac(n, d), true
}

// rootInt searches bit by bit from the top; the root has few bits.
func rootInt(x *big.Int, q int) (*big.Int, bool) {
	if q == 2 {
		r := new(big.Int).Sqrt(x)
		return r, new(big.Int).Mul(r, r).Cmp(x) == 0
	}
	r, p, e := new(big.Int), new(big.Int), big.NewInt(int64(q))
	if x.BitLen() > 64*q {
		return nil, false // would take long, and nobody asks
	}
	for bit := x.BitLen()/q + 1; bit >= 0; bit-- {
		r.SetBit(r, bit, 1)
		if p.Exp(r, e, nil).Cmp(x) > 0 {
			r.SetBit(r, bit, 0)
		}
	}
	return r, p.Exp(r, e, nil).Cmp(x) == 0
}

// A rounding is what becomes of the part behind the point.
type rounding int

const (
	truncate rounding = iota
	down
	up
	nearest // halves away from zero
)

func toInt(x *big.Rat, how rounding) *big.Int {
	num, den := x.Num(), x.Denom()
	if how == nearest { // trunc((2|x| + 1) / 2) with the sign of x
		n := new(big.Int).Abs(num)
		n.Add(n.Lsh(n, 1), den)
		n.Quo(n, new(big.Int).Lsh(den, 1))
		if num.Sign() < 0 {
			n.Neg(n)
		}
		return n
	}
	q, m := new(big.Int).QuoRem(num, den, new(big.Int))
	switch {
	case how == down && m.Sign() < 0:
		q.Sub(q, big.NewInt(1))
	case how == up && m.Sign() > 0:
		q.Add(q, big.NewInt(1))
	}
	return q
}

func factorial(x number) (number, error) {
	if !x.isInt() || x.rat.Sign() < 0 {
		return number{}, fmt.Errorf("a factorial needs a whole number that is not negative")
	}
	n := x.rat.Num()
	if !n.IsInt64() || n.Int64() > 2000 {
		return number{}, errTooLarge
	}
	return sized(new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Int64())))
}
