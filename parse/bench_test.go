package parse_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
)

func benchTools() parse.Options {
	var o parse.Options
	for _, name := range inputs.Tools {
		o.Tools = append(o.Tools, parse.Tool{Name: name})
	}
	return o
}

// stream feeds text in pieces of n bytes and returns the result.
func stream(s *parse.Scanner, text string, n int) parse.Result {
	s.Reset()
	for i := 0; i < len(text); i += n {
		s.Feed(text[i:min(i+n, len(text))])
	}
	return s.Close(parse.FinishStop)
}

// BenchmarkStream feeds texts of 64 KB to 1 MB in pieces of 4 bytes, about a
// token each, and reports the growth exponent (the slope of log time over log
// size; 1 is linear), the time a token takes at 1 MB, and the throughput, all in
// processor time.
func BenchmarkStream(b *testing.B) {
	for _, name := range append([]string{"write", "prose", "answer", "think"}, inputs.Hostile...) {
		b.Run(name, func(b *testing.B) {
			s := parse.NewScanner(benchTools())
			best := map[int]time.Duration{}
			texts := map[int]string{}
			for n := 64 << 10; n <= 1<<20; n *= 2 {
				texts[n] = inputs.Make(name, n)
			}
			for b.Loop() {
				for n, text := range texts {
					start := clock()
					stream(s, text, 4)
					if d := clock() - start; best[n] == 0 || d < best[n] {
						best[n] = d
					}
				}
			}
			last := best[1<<20]
			b.ReportMetric(exponent(best), "exponent")
			b.ReportMetric(float64(last.Nanoseconds())/float64(len(texts[1<<20])/4), "ns/token")
			b.ReportMetric(float64(len(texts[1<<20]))/1e6/last.Seconds(), "MB/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// exponent fits log time over log size by least squares.
func exponent(times map[int]time.Duration) float64 {
	var n, sx, sy, sxx, sxy float64
	for size, d := range times {
		x, y := math.Log(float64(size)), math.Log(float64(max(d, 1)))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// BenchmarkParse reads whole texts of a real reply's shape and size.
func BenchmarkParse(b *testing.B) {
	for _, x := range []struct {
		name string
		size int
	}{{"bare", 300}, {"chatty", 2 << 10}, {"think", 16 << 10}, {"prose", 64 << 10}, {"answer", 64 << 10}, {"broken", 64 << 10}, {"write", 1 << 20}} {
		text, o := inputs.Make(x.name, x.size), benchTools()
		b.Run(fmt.Sprintf("%s/%d", x.name, x.size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				parse.Parse(text, o, parse.FinishStop)
			}
		})
	}
}

// BenchmarkReplies reads all replies of the corpora and the cases, whole and in
// pieces of 4 bytes.
func BenchmarkReplies(b *testing.B) {
	var all []sample
	size := 0
	for _, x := range samples(b, 1) {
		all = append(all, x)
		size += len(x.text)
	}
	b.Run("whole", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, x := range all {
				parse.Parse(x.text, x.options, x.finish)
			}
		}
	})
	b.Run("stream", func(b *testing.B) {
		scanners := make([]*parse.Scanner, len(all))
		for i, x := range all {
			scanners[i] = parse.NewScanner(x.options)
		}
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for i, x := range all {
				stream(scanners[i], x.text, 4)
			}
		}
	})
}

// TestNoAllocations holds the scanner to its word: a reply without a candidate
// costs no allocation on a scanner that is Reset.
func TestNoAllocations(t *testing.T) {
	text := inputs.Make("prose", 64<<10)
	s := parse.NewScanner(benchTools())
	stream(s, text, 4)
	n := testing.AllocsPerRun(5, func() { stream(s, text, 4) })
	fault := ""
	if n > 0 {
		fault = fmt.Sprintf("%v allocations to stream %d bytes of prose", n, len(text))
	}
	openLedger(t, "allocations").check(t, "prose", fault)
}
