package main

import "testing"

func TestTextWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"plain", 5},
		{"héllo", 5},
		{"he\u0301llo", 5},           // a combining accent
		{"日本語", 6},                   // ideographs
		{"ＡＢ", 4},                    // full-width letters
		{"ｱｲ", 2},                    // half-width kana
		{"한국", 4},                    // Hangul
		{"👍", 2},                     // an emoji
		{"👍🏽", 2},                    // with a skin tone
		{"👩\u200d👧", 2},              // joined
		{"\u2764\ufe0f", 2},          // a heart asked for as a picture
		{"\u2764", 1},                // and not
		{"🇳🇴", 2},                    // a flag
		{"🇳🇴🇸🇪", 4},                  // two flags
		{"a\u200bb", 2},              // zero width space
		{"…", 1}, {"●", 1}, {"✓", 1}, // what the command itself writes
	} {
		if got := textWidth(c.text); got != c.want {
			t.Errorf("textWidth(%q) = %d, want %d", c.text, got, c.want)
		}
	}
}

func TestCutWidth(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"}, // two columns of the second do not fit beside the ellipsis
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"👍🏽👍🏽", 3, "👍🏽…"},
		{"word and more", 6, "word…"},
	} {
		if got := cutWidth(c.text, c.max); got != c.want {
			t.Errorf("cutWidth(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
		if got := cutWidth(c.text, c.max); textWidth(got) > c.max {
			t.Errorf("cutWidth(%q, %d) is %d columns wide", c.text, c.max, textWidth(got))
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain text stays", "a\tb\nç 日本", "a\tb\nç 日本"},
		{"an escape sequence", "\x1b[31mred", "␛[31mred"},
		{"a title", "\x1b]0;x\x07", "␛]0;x␇"},
		{"CR LF", "a\r\nb", "a\nb"},
		{"a lone CR hides the line", "safe\revil", "safe␍evil"},
		{"backspace", "ab\b\bcd", "ab␈␈cd"},
		{"delete", "a\x7f", "a␡"},
		{"C1 control", "a\u009b31m", "a\ufffd31m"},
		{"bidirectional override", "a\u202eb", "a\ufffdb"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"a real U+FFFD", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := clean(c.text); got != c.want {
				t.Errorf("clean(%q) = %q, want %q", c.text, got, c.want)
			}
			if again := clean(c.want); again != c.want {
				t.Errorf("clean is not idempotent: %q", again)
			}
		})
	}
}

func TestEscapeJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b"}`:                 `{"a":"b"}`,
		"{\"a\":\"x\u009by\x7fé\"}": `{"a":"x\u009by\u007fé"}`,
	} {
		if got := string(escapeJSON([]byte(in))); got != want {
			t.Errorf("escapeJSON(%q) = %q, want %q", in, got, want)
		}
	}
}
