package builtin

import (
	"fmt"
	"go/token"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// A function can be called in an expression.
type function struct {
	min, max int // number of arguments; max 0: any
	do       func(xs []number) (number, error)
}

func (f function) wants() string {
	switch {
	case f.max == 0:
		return fmt.Sprintf("wants at least %d value", f.min)
	case f.min < f.max:
		return fmt.Sprintf("wants %d to %d values", f.min, f.max)
	case f.min == 1:
		return "wants 1 value"
	}
	return fmt.Sprintf("wants %d values", f.min)
}

var constants = map[string]number{
	"pi":       decimal("3.14159265358979323846264338327950288419716939937510582097494459"),
	"π":        decimal("3.14159265358979323846264338327950288419716939937510582097494459"),
	"e":        decimal("2.71828182845904523536028747135266249775724709369995957496696763"),
	"inf":      special(math.Inf(1)),
	"infinity": special(math.Inf(1)),
	"nan":      special(math.NaN()),
}

func decimal(s string) number {
	r, _ := new(big.Rat).SetString(s)
	return exact(r)
}

// functions are exact where the result can be; angles are in radians.
var functions = map[string]function{
	"abs":   {1, 1, absolute},
	"sqrt":  {1, 1, sqrt},
	"cbrt":  {1, 1, cbrt},
	"pow":   {2, 2, func(xs []number) (number, error) { return pow(xs[0], xs[1]) }},
	"floor": {1, 1, func(xs []number) (number, error) { return toWhole(xs[0], down) }},
	"ceil":  {1, 1, func(xs []number) (number, error) { return toWhole(xs[0], up) }},
	"trunc": {1, 1, func(xs []number) (number, error) { return toWhole(xs[0], truncate) }},
	"round": {1, 2, round},
	"min":   {1, 0, func(xs []number) (number, error) { return extreme(xs, -1), nil }},
	"max":   {1, 0, func(xs []number) (number, error) { return extreme(xs, 1), nil }},
	"sum":   {1, 0, sum},
	"avg":   {1, 0, average},
	"gcd":   {2, 2, gcd},
	"lcm":   {2, 2, lcm},
	"exp":   {1, 1, exponential},
	"ln":    {1, 1, func(xs []number) (number, error) { return logarithm(xs[0], 0, math.Log) }},
	"log2":  {1, 1, func(xs []number) (number, error) { return logarithm(xs[0], 2, math.Log2) }},
	"log10": {1, 1, func(xs []number) (number, error) { return logarithm(xs[0], 10, math.Log10) }},
	"sin":   {1, 1, inFloat(math.Sin)},
	"cos":   {1, 1, inFloat(math.Cos)},
	"tan":   {1, 1, inFloat(math.Tan)},
	"asin":  {1, 1, inFloat(math.Asin)},
	"acos":  {1, 1, inFloat(math.Acos)},
	"atan":  {1, 1, inFloat(math.Atan)},
}

var functionNames = strings.Join(slices.Sorted(maps.Keys(functions)), " ")

// inFloat makes a function of one in float64 arithmetic.
func inFloat(f func(float64) float64) func([]number) (number, error) {
	return func(xs []number) (number, error) {
		x, err := xs[0].float64()
		if err != nil {
			return number{}, err
		}
		if y := f(x); !xs[0].isFinite() {
			return special(y), nil
		} else {
			return rough(y)
		}
	}
}

func exponential(xs []number) (number, error) {
	x, err := xs[0].float64()
	switch {
	case err != nil:
		return number{}, err
	case !xs[0].isFinite():
		return special(math.Exp(x)), nil
	}
	return roughPositive(math.Exp(x))
}

func absolute(xs []number) (number, error) {
	if x := xs[0]; x.sign() < 0 {
		return neg(x), nil
	}
	return xs[0], nil
}

// sqrt is exact for squares of fractions, else right to 256 bits.
func sqrt(xs []number) (number, error) {
	x := xs[0]
	switch {
	case !x.isFinite():
		return special(math.Sqrt(x.float)), nil
	case x.rat.Sign() < 0:
		return special(math.NaN()), nil
	case x.rat.Sign() == 0:
		return x, nil
	}
	if r, ok := root(x.rat, 2); ok {
		return number{rat: r, approx: x.approx}, nil
	}
	f := new(big.Float).SetPrec(256).SetRat(x.rat)
	r, _ := f.Sqrt(f).Rat(nil)
	n, err := sized(r)
	n.approx = x.approx
	return n, err
}

func cbrt(xs []number) (number, error) {
	if x := xs[0]; x.isFinite() && x.rat.Sign() != 0 {
		if r, ok := root(new(big.Rat).Abs(x.rat), 3); ok {
			if x.rat.Sign() < 0 {
				r.Neg(r)
			}
			return number{rat: r, approx: x.approx}, nil
		}
	}
	return inFloat(math.Cbrt)(xs)
}

func toWhole(x number, how rounding) (number, error) {
	if !x.isFinite() {
		return x, nil
	}
	return whole(toInt(x.rat, how)), nil
}

// round takes the number of decimals as its second value; a negative one
// rounds to tens, hundreds and so on.
func round(xs []number) (number, error) {
	if len(xs) == 1 || !xs[0].isFinite() {
		return toWhole(xs[0], nearest)
	}
	d := xs[1]
	if !d.isInt() || d.rat.Num().CmpAbs(big.NewInt(100)) > 0 {
		return number{}, fmt.Errorf("round wants a whole number of decimals from -100 to 100")
	}
	scale, err := powInt(integer(10), d.rat.Num())
	if err != nil {
		return number{}, err
	}
	n := toInt(new(big.Rat).Mul(xs[0].rat, scale.rat), nearest)
	return sized(new(big.Rat).Quo(new(big.Rat).SetInt(n), scale.rat))
}

// extreme returns the least (-1) or greatest (1); NaN if one is.
func extreme(xs []number, sign int) number {
	best := xs[0]
	for _, x := range xs[1:] {
		switch {
		case math.IsNaN(best.sign()):
			return best
		case math.IsNaN(x.sign()), compare(x, best)*sign > 0:
			best = x
		}
	}
	return best
}

func compare(x, y number) int {
	if x.isFinite() && y.isFinite() {
		return x.rat.Cmp(y.rat)
	}
	switch a, b := x.sign(), y.sign(); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func sum(xs []number) (number, error) {
	total := integer(0)
	for _, x := range xs {
		var err error
		if total, err = apply(token.ADD, total, x); err != nil {
			return number{}, err
		}
	}
	return total, nil
}

func average(xs []number) (number, error) {
	total, err := sum(xs)
	if err != nil {
		return number{}, err
	}
	return apply(token.QUO, total, integer(int64(len(xs))))
}

func gcd(xs []number) (number, error) {
	if !xs[0].isInt() || !xs[1].isInt() {
		return number{}, fmt.Errorf("gcd and lcm want whole numbers")
	}
	return whole(new(big.Int).GCD(nil, nil, new(big.Int).Abs(xs[0].rat.Num()), new(big.Int).Abs(xs[1].rat.Num()))), nil
}

func lcm(xs []number) (number, error) {
	g, err := gcd(xs)
	if err != nil || g.rat.Sign() == 0 {
		return g, err
	}
	n := new(big.Int).Mul(xs[0].rat.Num(), xs[1].rat.Num())
	return sized(new(big.Rat).SetInt(n.Quo(n.Abs(n), g.rat.Num())))
}

// logarithm is exact for whole powers of 2 and 10, and takes numbers that no
// float64 holds.
func logarithm(x number, base int64, log func(float64) float64) (number, error) {
	switch {
	case !x.isFinite():
		return special(log(x.float)), nil
	case x.rat.Sign() < 0:
		return special(math.NaN()), nil
	case x.rat.Sign() == 0:
		return special(math.Inf(-1)), nil
	}
	y := logOf(x, log)
	if n := math.Round(y); base > 0 && math.Abs(y-n) < 1e-9 {
		p, err := powInt(integer(base), big.NewInt(int64(n)))
		if err == nil && p.rat.Cmp(x.rat) == 0 {
			return integer(int64(n)), nil
		}
	}
	return rough(y)
}

func logOf(x number, log func(float64) float64) float64 {
	if f, err := x.float64(); err == nil {
		return log(f)
	}
	var m big.Float
	exp := new(big.Float).SetRat(x.rat).MantExp(&m)
	f, _ := m.Float64()
	return log(f) + float64(exp)*log(2)
}
