package builtin

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

var calcTests = []struct{ expr, want string }{
	// numbers
	{"0", "0"},
	{"42", "42"},
	{"007", "7"},
	{"010", "10"},
	{"09", "9"},
	{"3.50", "3.5"},
	{".5", "0.5"},
	{"5.", "5"},
	{"1_000_000", "1000000"},
	{"1e3", "1000"},
	{"1.5e-3", "0.0015"},
	{"1E+2", "100"},
	{"0x1F", "31"},
	{"0b101", "5"},
	{"0o17", "15"},
	{"pi", "3.1415926535897932"},
	{"PI", "3.1415926535897932"},
	{"π", "3.1415926535897932"},
	{"e", "2.7182818284590452"},
	{"-0", "0"},

	// the four operations and the remainder
	{"1+2", "3"},
	{" 1 +\n 2 ", "3"},
	{"1\n+2", "3"},
	{"2+3*4", "14"},
	{"(2+3)*4", "20"},
	{"10-4-3", "3"},
	{"100/10/5", "2"},
	{"2*3%4", "2"},
	{"7%3", "1"},
	{"-7%3", "-1"},
	{"7%-3", "1"},
	{"5.5%2", "1.5"},
	{"1%0.3", "0.1"},
	{"3×4", "12"},
	{"12÷4", "3"},
	{"5−3", "2"},
	{"2·3", "6"},

	// signs
	{"-5", "-5"},
	{"+5", "5"},
	{"--5", "5"},
	{"5--3", "8"},
	{"5+-3", "2"},
	{"5++3", "8"},
	{"-(2+3)", "-5"},
	{"2*-3", "-6"},
	{"-2*-3", "6"},

	// powers
	{"2^10", "1024"},
	{"2**10", "1024"},
	{"-2^2", "-4"},
	{"-2**2", "-4"},
	{"(-2)^2", "4"},
	{"2^3^2", "512"},
	{"2**3**2", "512"},
	{"(2^3)^2", "64"},
	{"2*3**2", "18"},
	{"2^-1", "0.5"},
	{"2^-3^2", "0.001953125"},
	{"2^-2*8", "2"},
	{"-2^-2", "-0.25"},
	{"4^0.5", "2"},
	{"8^(1/3)", "2"},
	{"64^(1/3)", "4"},
	{"(8/27)^(2/3)", "0.44444444444444444"},
	{"2^0.5", "1.4142135623730951"},
	{"0^0", "1"},
	{"0^5", "0"},
	{"0^0.5", "0"},
	{"1^999999999999", "1"},
	{"(-1)^999999999999", "-1"},
	{"(-1)^1000000000000", "1"},
	{"2**100", "1267650600228229401496703205376"},
	{"10^30", "1000000000000000000000000000000"},
	{"10^-30", "0.000000000000000000000000000001"},
	{"10^-41", "1e-41"},
	{"2^-50", "0.00000000000000088817841970012523233890533447265625"},

	// exact fractions
	{"0.1+0.2", "0.3"},
	{"1/3", "0.33333333333333333"},
	{"2/3", "0.66666666666666667"},
	{"1/3*3", "1"},
	{"1/3+1/6", "0.5"},
	{"1/7", "0.14285714285714286"},
	{"-1/3", "-0.33333333333333333"},
	{"100/3", "33.333333333333333"},
	{"1/300", "0.0033333333333333333"},
	{"1e-9/3", "3.3333333333333333e-10"},
	{"2^100/3", "4.2255020007607647e29"},
	{"1/8", "0.125"},
	{"1/2^30", "0.000000000931322574615478515625"},
	{"12345678901234567890.5", "12345678901234567890.5"},
	{"1.000000000000000000000000000000000000001", "1.000000000000000000000000000000000000001"},
	{"1.0000000000000000000000000000000000000001", "1"},
	{"2/3*1e20", "6.6666666666666667e19"},
	{"99999999999999999999/100000000000000000001", "1"},
	{"1234.5678*1000", "1234567.8"},

	// not finite
	{"1/0", "+Inf"},
	{"-1/0", "-Inf"},
	{"0/0", "NaN"},
	{"5%0", "NaN"},
	{"1/0-1/0", "NaN"},
	{"1/0+1", "+Inf"},
	{"1/0*0", "NaN"},
	{"1/0*-2", "-Inf"},
	{"-(1/0)", "-Inf"},
	{"5/(1/0)", "0"},
	{"(1/0)/5", "+Inf"},
	{"(1/0)/0", "+Inf"},
	{"5%(1/0)", "5"},
	{"0^-1", "+Inf"},
	{"2^(1/0)", "+Inf"},
	{"2^(-1/0)", "0"},
	{"(-8)^(1/2)", "NaN"},
	{"Infinity-10^400", "+Inf"},
	{"min(1, 0/0)", "NaN"},
	{"max(0/0, 1)", "NaN"},
	{"max(1, 1/0)", "+Inf"},

	// functions
	{"abs(-3)", "3"},
	{"abs(-1/0)", "+Inf"},
	{"sqrt(16)", "4"},
	{"sqrt(2)", "1.414213562373095"},
	{"sqrt(2)^2", "2"},
	{"sqrt(0.25)", "0.5"},
	{"sqrt(-1)", "NaN"},
	{"sqrt(10^40)", "100000000000000000000"},
	{"cbrt(-27)", "-3"},
	{"cbrt(2)", "1.2599210498948732"},
	{"pow(2, 8)", "256"},
	{"floor(-2.5)", "-3"},
	{"ceil(-2.5)", "-2"},
	{"trunc(-2.5)", "-2"},
	{"round(2.5)", "3"},
	{"round(-2.5)", "-3"},
	{"round(2.449)", "2"},
	{"round(3.14159, 2)", "3.14"},
	{"round(1234, -2)", "1200"},
	{"floor(7/2)", "3"},
	{"min(3, 1, 2)", "1"},
	{"max(3, 1, 2)", "3"},
	{"max(-5)", "-5"},
	{"sum(1, 2, 3)", "6"},
	{"avg(1, 2, 4)", "2.3333333333333333"},
	{"gcd(12, 18)", "6"},
	{"gcd(-12, 18)", "6"},
	{"lcm(4, 6)", "12"},
	{"lcm(0, 6)", "0"},
	{"5!", "120"},
	{"0!", "1"},
	{"3!!", "720"},
	{"2^3!", "64"},
	{"-3!", "-6"},
	{"exp(0)", "1"},
	{"exp(1)", "2.718281828459045"},
	{"exp(1/0)", "+Inf"},
	{"exp(-1/0)", "0"},
	{"ln(1)", "0"},
	{"ln(10)", "2.302585092994046"},
	{"ln(0)", "-Inf"},
	{"ln(-1)", "NaN"},
	{"ln(10^1000)", "2302.585092994045"},
	{"log10(1000)", "3"},
	{"log10(10^1000)", "1000"},
	{"log10(0.001)", "-3"},
	{"log10(2)", "0.3010299956639812"},
	{"log2(8)", "3"},
	{"log2(1/1024)", "-10"},
	{"sin(0)", "0"},
	{"cos(0)", "1"},
	{"sin(pi)", "1.2246467991473515e-16"},
	{"tan(1)", "1.557407724654902"},
	{"atan(1)*4", "3.141592653589793"},
	{"asin(2)", "NaN"},
	{"0.5*sin(1)", "0.42073549240394825"},
	{"math.sqrt(9)", "3"},
	{"Math.max(1, 2)", "2"},
	{"math.pi", "3.1415926535897932"},
	{"SQRT(9)", "3"},
}

func TestCalc(t *testing.T) {
	for _, tt := range calcTests {
		x, err := eval(tt.expr)
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
		} else if got := x.String(); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.expr, got, tt.want)
		}
	}
}

func TestCalcErrors(t *testing.T) {
	tests := []struct{ expr, want string }{
		{"", "empty"},
		{"  ", "empty"},
		{"1+", `ends too early after "1+": a number must follow`},
		{"(1+2", `ends too early after "(1+2": ")" must follow`},
		{"1+2)", `")" at character 4: expecting an operator`},
		{"*3", `"*" at character 1: expecting a number`},
		{"2(3)", "a product needs *"},
		{"2x", "a product needs *"},
		{"(1)(2)", "a product needs *"},
		{"1,000", "no thousands separators"},
		{"7//2", "floor(a/b)"},
		{"7 /* half */", "expecting an operator"},
		{"15% * 80", "15/100 for 15 percent"},
		{"20%", `ends too early after "20%"`},
		{"2 ^^ 3", "expecting a number"},
		{"1 = 1", "expecting an operator"},
		{"1 << 3", "expecting an operator"},
		{"x + 1", `"x" at character 1: there are these functions: abs`},
		{"log(10)", "ln, log2 or log10"},
		{"sqrt", `"(" after sqrt must follow`},
		{"sqrt 4", `expecting "(" after sqrt`},
		{"sqrt()", "expecting a number"},
		{"sqrt(1, 2)", "wants 1 value"},
		{"gcd(1)", "wants 2 values"},
		{"round(1, 2, 3)", "wants 1 to 2 values"},
		{"round(1, 0.5)", "whole number of decimals"},
		{"max(1 2)", `expecting "," or ")"`},
		{"gcd(1.5, 2)", "whole numbers"},
		{"2.5!", "factorial"},
		{"(-1)!", "factorial"},
		{"0x", "not a number"},
		{"1e", "not a number"},
		{"0b12", "not a number"},
		{"3i", "expecting a number"},
		{"'a'", "expecting a number"},
		{`"5"`, "expecting a number"},
		{"ä + 1", `"ä" at character 1`},
		{"1 + €", `"€" at character 5`},
		{"exp(1000)", "the result is too large or too small"},
		{"exp(-1000)", "the result is too large or too small"},
		{"2.5^1000.5", "the result is too large or too small"},
		{"0.5^2000.5", "the result is too large or too small"},
		{"sin(10^400)", "too large or too small"},
		{"(10^-400)^0.3", "too large or too small"},

		// nothing large is computed
		{"9**9**9**9", "4,900 digits"},
		{"9^9^9", "4,900 digits"},
		{"((((9^64)^64)^64)^64)", "4,900 digits"},
		{"2^-99999999999999999999", "4,900 digits"},
		{"1e999999999", "4,900 digits"},
		{"1e-999999999", "4,900 digits"},
		{"1e9999", "4,900 digits"},
		{"99999999999999!", "4,900 digits"},
		{"2000!", "4,900 digits"},
		{"(0.1^4000)^4000", "4,900 digits"},
		{strings.Repeat("1+", 50_000) + "1", "100001 bytes"},
		{strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), "bytes"},
		{strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000), "nested deeper than 100"},
		{strings.Repeat("-", 1000) + "1", "nested deeper than 100"},
		{strings.Repeat("2^", 1000) + "1", "nested deeper than 100"},
		{strings.Repeat("abs(", 1000) + "1", "nested deeper than 100"},
		{strings.Repeat("math.", 800) + "pi", ""},
	}
	for _, tt := range tests {
		x, err := eval(tt.expr)
		if tt.want == "" {
			continue // must only end
		}
		if err == nil {
			t.Errorf("%.50s = %s, want an error with %q", tt.expr, x, tt.want)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.50s: %v, want an error with %q", tt.expr, err, tt.want)
		}
	}
}

// The most work that fits into an expression is done in a moment.
func TestCalcWork(t *testing.T) {
	big := "7^5000"
	for _, op := range []string{"+", "*", "/", "%", "-1/"} {
		expr := big
		for len(expr)+len(op)+len(big) <= maxExpr {
			expr += op + big
		}
		began := time.Now()
		eval(expr)
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("%s: %v", op, d)
		}
	}
}

// FuzzCalc compares sums and products of two numbers with big.Rat, and asks of
// everything else only to end with a value or an error.
func FuzzCalc(f *testing.F) {
	for _, tt := range calcTests {
		f.Add(tt.expr, int64(3), int64(-7))
	}
	f.Fuzz(func(t *testing.T, expr string, a, b int64) {
		if x, err := eval(expr); err == nil && x.String() == "" {
			t.Error("no value and no error")
		}
		x, y := big.NewRat(a, 1000), big.NewRat(b, 8)
		for _, op := range []struct {
			sign string
			do   func(z, x, y *big.Rat) *big.Rat
		}{{"+", (*big.Rat).Add}, {"-", (*big.Rat).Sub}, {"*", (*big.Rat).Mul}, {"/", (*big.Rat).Quo}} {
			if op.sign == "/" && b == 0 {
				continue
			}
			expr := x.FloatString(3) + op.sign + y.FloatString(3)
			got, err := eval(expr)
			if want := op.do(new(big.Rat), x, y); err != nil || got.rat.Cmp(want) != 0 {
				t.Fatalf("%s = %v, %v; want %v", expr, got, err, want)
			}
			checkDigits(t, got)
		}
	})
}

// checkDigits reads the written number back: equal if it is whole or ends
// soon, else within half a unit of the 17th digit.
func checkDigits(t *testing.T, x number) {
	t.Helper()
	back, ok := new(big.Rat).SetString(x.String())
	if !ok {
		t.Fatalf("%s is not a number", x)
	}
	if digits, _, ok := terminating(new(big.Rat).Abs(x.rat)); ok && len(digits) <= fullDigits {
		if back.Cmp(x.rat) != 0 {
			t.Fatalf("%s is written %s", x.rat, x)
		}
		return
	}
	diff, _ := new(big.Rat).Quo(new(big.Rat).Sub(back, x.rat), x.rat).Float64()
	if math.Abs(diff) > 5e-17*10 {
		t.Fatalf("%s is written %s", x.rat, x)
	}
}
