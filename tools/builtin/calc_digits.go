package builtin

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

const (
	fullDigits    = 40 // a decimal with at most so many significant digits is written in full
	roundedDigits = 17 // of one that does not end, or is longer
)

// String writes a whole number with every digit, a decimal in full or rounded
// to 17 significant digits, and what came out of float64 arithmetic in the
// shortest form that reads back.
func (x number) String() string {
	if !x.isFinite() {
		return strconv.FormatFloat(x.float, 'g', -1, 64)
	}
	if x.isInt() && !x.approx {
		return x.rat.Num().String()
	}
	sign := ""
	if x.rat.Sign() < 0 {
		sign = "-"
	}
	r := new(big.Rat).Abs(x.rat)
	if f, _ := r.Float64(); x.approx && !math.IsInf(f, 0) {
		digits, exp := floatDigits(f)
		return sign + layOut(digits, exp, -7, 21)
	}
	if digits, exp, ok := terminating(r); ok && len(digits) <= fullDigits {
		return sign + layOut(digits, exp, -fullDigits, fullDigits)
	}
	digits, exp := rounded(r, roundedDigits)
	return sign + layOut(digits, exp, -7, roundedDigits)
}

// floatDigits returns the shortest digits of f and the exponent of the first.
func floatDigits(f float64) (string, int) {
	m, e, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	exp, _ := strconv.Atoi(e)
	return strings.Replace(m, ".", "", 1), exp
}

// terminating returns all digits of a decimal that ends, and the exponent of
// the first. It ends if no prime but 2 and 5 divides the denominator.
func terminating(r *big.Rat) (digits string, exp int, ok bool) {
	den := new(big.Int).Set(r.Denom())
	decimals := int(den.TrailingZeroBits())
	den.Rsh(den, uint(decimals))
	fives := 0
	for five, m := big.NewInt(5), new(big.Int); den.BitLen() > 1; fives++ {
		if den.QuoRem(den, five, m); m.Sign() != 0 {
			return "", 0, false
		}
	}
	decimals = max(decimals, fives)
	n := new(big.Int).Mul(r.Num(), tenTo(decimals))
	digits = n.Quo(n, r.Denom()).String()
	return digits, len(digits) - 1 - decimals, true
}

// rounded returns n significant digits, halves rounded up, and the exponent of
// the first. Its first guess of the exponent is wrong by one at most.
func rounded(r *big.Rat, n int) (digits string, exp int) {
	num, den := r.Num(), r.Denom()
	exp = int(math.Floor(float64(num.BitLen()-den.BitLen()) * math.Log10(2)))
	for {
		a, b := new(big.Int).Set(num), new(big.Int).Set(den)
		if shift := n - 1 - exp; shift >= 0 {
			a.Mul(a, tenTo(shift))
		} else {
			b.Mul(b, tenTo(-shift))
		}
		digits = toInt(new(big.Rat).SetFrac(a, b), nearest).String()
		if len(digits) == n {
			return digits, exp
		}
		exp += len(digits) - n
	}
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// layOut writes digits plainly when the exponent of the first is in [low,
// high), else with an exponent.
func layOut(digits string, exp, low, high int) string {
	digits = strings.TrimRight(digits, "0")
	switch {
	case digits == "":
		return "0"
	case exp < low || exp >= high:
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return digits + "e" + strconv.Itoa(exp)
	case exp < 0:
		return "0." + strings.Repeat("0", -exp-1) + digits
	case exp >= len(digits)-1:
		return digits + strings.Repeat("0", exp-len(digits)+1)
	}
	return digits[:exp+1] + "." + digits[exp+1:]
}
