package proc

import (
	"crypto/sha256"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestShow(t *testing.T) {
	lines := strings.Repeat("12345678\n", 20) // 180 bytes
	tests := []struct {
		name        string
		text        string
		keep        int // of the capture
		room, lines int
		head, tail  string
	}{
		{"all", "abc\n", 100, 100, 10, "abc\n", ""},
		{"all, in two pieces", "abcdef", 3, 100, 10, "abcdef", ""},
		{"whole lines", lines, 1000, 50, 100, "12345678\n12345678\n", "12345678\n12345678\n"},
		{"few lines", lines, 1000, 100, 4, "12345678\n12345678\n", "12345678\n12345678\n"},
		{"too many lines only", "a\nb\nc\nd\ne\n", 1000, 100, 2, "a\n", "e\n"},
		{"one long line", strings.Repeat("x", 100), 1000, 10, 10, "xxxxx", "xxxxx"},
		{"between characters", strings.Repeat("€", 50), 1000, 10, 10, "€", "€"},
		{"cut by the capture", strings.Repeat("€", 50), 10, 1000, 10, "€€€", "€€€"},
		{"no room", "abc", 10, 0, 10, "", ""},
		{"less than none", "abc", 10, -5, 10, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := captured(tt.text, tt.keep)
			head, tail, left := s.Show(tt.room, tt.lines)
			if head != tt.head || tail != tt.tail {
				t.Errorf("got %q and %q, want %q and %q", head, tail, tt.head, tt.tail)
			}
			if left != int64(len(tt.text)-len(head)-len(tail)) {
				t.Errorf("%d left out", left)
			}
		})
	}
}

// Whatever the bytes are, what is shown fits, is valid and leaves out as much
// as it says.
func TestShowBytes(t *testing.T) {
	text := strings.Repeat("a\xffb\xfe\n€\x80", 200)
	for room := range 700 {
		s := captured(text, 300)
		head, tail, left := s.Show(room, 50)
		if len(head)+len(tail) > room || !utf8.ValidString(head+tail) || left <= 0 || left > int64(len(text)) {
			t.Fatalf("room %d: %d and %d bytes, %d left out", room, len(head), len(tail), left)
		}
	}
}

func newCaptureOf(keep int) *capture { return &capture{keep: keep, sum: sha256.New()} }

func captured(text string, keep int) Stream {
	c := newCaptureOf(keep)
	c.add([]byte(text))
	return c.stream()
}
