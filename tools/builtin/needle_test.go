package builtin

import (
	"regexp"
	"testing"
)

func TestNeedle(t *testing.T) {
	tests := []struct {
		pattern, text string
		fold          bool
	}{
		{"needle", "needle", false},
		{"^needle$", "needle", false},
		{`\bfunc\s+name\(`, "name(", false},
		{"a(bc)d", "a", false},
		{"(needle)", "needle", false},
		{"(?i)Needle", "needle", true},
		{"(?i)größe", "", false},
		{"x(?i:abc)yz", "abc", true},
		{"a|b", "", false},
		{"(abc)?", "", false},
		{"(abc)*d", "d", false},
		{".*", "", false},
		{"(", "", false},
	}
	for _, tt := range tests {
		if n := needleOf(tt.pattern); string(n.text) != tt.text || n.fold != tt.fold {
			t.Errorf("%s: %q, %v", tt.pattern, n.text, n.fold)
		}
	}
}

// FuzzNeedle: where the expression matches, the needle is.
func FuzzNeedle(f *testing.F) {
	for _, p := range []string{"needle", "(?i)kiss", "^a.*b$", `(?i)\bfoo\s+bar`, "(?s)x(?i:y)z", "(?U)a+bc", "[ab]cd", "(?i)ſ"} {
		for _, line := range []string{"a needle", "KISS", "\u212aiſs", "foo  BAR", "xYz", "ab", "\xff", ""} {
			f.Add(p, []byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, pattern string, line []byte) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		if re.Match(line) && !needleOf(pattern).mayBeIn(line) {
			t.Errorf("%q matches %q, but its needle %q is not there", pattern, line, needleOf(pattern).text)
		}
	})
}
