package byteset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// naive is what Index means.
func naive(s *Set, text string, from int) int {
	for ; from < len(text); from++ {
		if s.Has(text[from]) {
			return from
		}
	}
	return len(text)
}

var sets = map[string]*Set{
	"none":      New(func(byte) bool { return false }),
	"all":       New(func(byte) bool { return true }),
	"brackets":  New(func(c byte) bool { return strings.IndexByte("{[<~>:`\x97", c) >= 0 }),
	"controls":  New(func(c byte) bool { return c < 0x20 || c == '"' || c == '\\' || c >= 0x80 }),
	"too many":  New(func(c byte) bool { return c>>4 == c&15 }),
	"last byte": New(func(c byte) bool { return c == 0xFF }),
}

// Each byte is found at each place of texts of each length about the sizes that
// are looked at together, and nothing behind the end is.
func TestIndex(t *testing.T) {
	for name, s := range sets {
		for n := range 200 {
			buf := []byte(strings.Repeat("a", n) + "{\x00{\xff")
			for i := range n {
				for _, c := range []byte{0, ' ', '"', '{', '`', 0x7F, 0x80, 0x97, 0xFF} {
					buf[i] = c
					text := string(buf)[:n]
					for _, from := range []int{0, i, min(i+1, n), n / 2} {
						want := naive(s, text, from)
						if got, slow := s.Index(text, from), s.slow(text, from); got != want || slow != want {
							t.Fatalf("%s: byte %#x at %d of %d from %d: %d, slowly %d, want %d", name, c, i, n, from, got, slow, want)
						}
						if got := s.In(text[from:]); got != (want < n) {
							t.Fatalf("%s: byte %#x at %d of %d from %d: in it %v, found at %d", name, c, i, n, from, got, want)
						}
					}
				}
				buf[i] = 'a'
			}
		}
	}
}

// Random sets and texts agree with the definition.
func TestIndexRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var in [256]bool
		for range 1 + r.IntN(20) {
			in[r.IntN(256)] = true
		}
		s := New(func(c byte) bool { return in[c] })
		text := make([]byte, r.IntN(300))
		for i := range text {
			text[i] = byte(r.IntN(256))
			if in[text[i]] && r.IntN(16) > 0 {
				text[i] = ' '
			}
		}
		for from := range len(text) + 1 {
			want := naive(s, string(text), from)
			if got, slow := s.Index(string(text), from), s.slow(string(text), from); got != want || slow != want {
				t.Fatalf("set %v, %q from %d: %d, slowly %d, want %d", in, text, from, got, slow, want)
			}
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	s := sets["brackets"]
	for _, n := range []int{16, 64, 1 << 10, 64 << 10} {
		text := strings.Repeat("a", n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				s.Index(text, 0)
			}
		})
		b.Run(fmt.Sprint("slow ", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				s.slow(text, 0)
			}
		})
	}
}
