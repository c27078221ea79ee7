package permission

import "testing"

func TestAnsiText(t *testing.T) {
	for in, want := range map[string]string{
		`plain`:          "plain",
		`\056env`:        ".env",
		`.e\x6ev`:        ".env",
		`.\u0065nv`:      ".env",
		`\U0000002eenv`:  ".env",
		`\1111`:          "I1",
		`\x4g`:           "\x04g",
		`\xc3\xa9`:       "é",
		`\a\b\e\f\n\t\\`: "\a\b\x1b\f\n\t\\",
		`\'\"\?`:         `'"?`,
		`C:\dir \`:       `C:\dir \`,
		`\ud`:            "\r",
		`a\.b`:           `a\.b`,
	} {
		if got, ok := ansiText(in); !ok || got != want {
			t.Errorf("ansiText(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{`a\0b`, `\x00`, `\cA`, `\x{2e}env`, `\xg`, `\U7fffffff`} {
		if got, ok := ansiText(in); ok {
			t.Errorf("ansiText(%q) = %q, though versions of bash differ", in, got)
		}
	}
}
