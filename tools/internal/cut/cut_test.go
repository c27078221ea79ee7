package cut

import (
	"testing"
	"unicode/utf8"
)

func TestBoundaries(t *testing.T) {
	for _, s := range []string{"", "abc", "aä€😀z", "\xff\xfe", "a\x80\x80\x80\x80\x80b"} {
		for i := -1; i <= len(s)+1; i++ {
			end, start := End(s, i), Start(s, i)
			if end < 0 || end > max(i, 0) || start < min(i, len(s)) || start > len(s) {
				t.Errorf("%q at %d: end %d, start %d", s, i, end, start)
			}
			if utf8.ValidString(s) && (!utf8.ValidString(s[:end]) || !utf8.ValidString(s[start:])) {
				t.Errorf("%q at %d: parts a character: end %d, start %d", s, i, end, start)
			}
		}
	}
}

func TestValid(t *testing.T) {
	if got := Valid([]byte("a\xff\xfeb\xe2\x82")); got != "a\uFFFDb\uFFFD" {
		t.Errorf("got %q", got)
	}
}

func TestWhole(t *testing.T) {
	tests := []struct{ text, whole string }{
		{"", ""}, {"abc", "abc"}, {"a€", "a€"}, {"a\xe2\x82", "a"}, {"a\xe2", "a"}, {"a\xf0\x9f\x98", "a"},
		{"a\xff", "a\xff"}, {"a\x80\x80\x80\x80", "a\x80\x80\x80\x80"},
	}
	for _, tt := range tests {
		if got := tt.text[:Whole([]byte(tt.text))]; got != tt.whole {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.whole)
		}
	}
}
