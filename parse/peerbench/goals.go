package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	repair "github.com/RealAlexandreAI/json-repair"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
	"github.com/tidwall/gjson"
)

// A bench measures goals, a row of a table each.
type bench struct {
	rounds int
	missed int
}

func (b *bench) atMost(id, what string, got, limit float64) {
	b.row(id, what, fmt.Sprintf("≤ %.4g", limit), fmt.Sprintf("%.3g", got), got <= limit)
}

func (b *bench) atLeast(id, what string, got, limit float64) {
	b.row(id, what, fmt.Sprintf("≥ %.4g", limit), fmt.Sprintf("%.3g", got), got >= limit)
}

func (b *bench) isTrue(id, what string, ok bool) { b.row(id, what, "right", verdict(ok), ok) }

func (b *bench) row(id, what, limit, got string, ok bool) {
	mark := "ok"
	if !ok {
		mark = "**missed**"
		b.missed++
	}
	fmt.Printf("| %s | %s | %s | %s | %s |\n", id, what, limit, got, mark)
}

// ratio is the median of how much longer f takes than g.
func (b *bench) ratio(f, g func()) float64 {
	_, ratios := turns(b.rounds, f, g)
	return ratios[0]
}

// takes is how often a time that misses its limit is taken: the machine is noisy, in
// phases that outlast the rounds.
const takes = 3

// within is the ratio of f to g, of as many takes as are needed to come within the limit,
// and how many these were, if not one.
func (b *bench) within(limit float64, f, g func()) (ratio float64, note string) {
	for n := 1; ; n++ {
		if ratio = b.ratio(f, g); ratio <= limit || n == takes {
			return ratio, note
		}
		note = fmt.Sprintf(" (take %d)", n+1)
	}
}

// ratioAtMost is a row for how much longer f takes than g.
func (b *bench) ratioAtMost(id, what string, f, g func(), limit float64) {
	got, note := b.within(limit, f, g)
	b.row(id, what, fmt.Sprintf("≤ %.4g", limit), fmt.Sprintf("%.3g%s", got, note), got <= limit)
}

const kB = 1 << 10

// depth keeps the compiler from leaving the byte loop out.
var depth int

// validTwin validates the text as one JSON string: what reading it costs at
// least a validator.
func validTwin(text string) func() {
	twin := inputs.Quote(text)
	return func() { gjson.Valid(twin) }
}

// p1: text with no candidate costs next to nothing.
func (b *bench) p1() {
	text := inputs.Make("prose", 64*kB)
	s := parse.NewScanner(options)
	whole := func() { oursOn(s, text) }
	streamed := func() { oursStreamed(s, text) }
	b.isTrue("P1", "prose 64 KB: the answer, unchanged", ours(text).Text == text && oursStreamed(s, text).Text == text)
	n, _ := allocations(whole)
	b.atMost("P1", "prose 64 KB, whole: allocations", float64(n), 0)
	n, _ = allocations(streamed)
	b.atMost("P1", "prose 64 KB, streamed: allocations", float64(n), 0)
	b.ratioAtMost("P1", "prose 64 KB, whole / gjson.Valid on the twin", whole, validTwin(text), 1.0/8)
	b.ratioAtMost("P1", "prose 64 KB, whole / ollama tools", whole, func() { ollamaTools("{", text) }, 1.0/5)
}

// p2: finding and validating, arguments left as JSON.
func (b *bench) p2() {
	for _, x := range []struct {
		name  string
		size  int
		limit float64
	}{{"chatty", 2 * kB, 2}, {"think", 16 * kB, 0.5}, {"answer", 64 * kB, 1.5}} {
		text := inputs.Make(x.name, x.size)
		b.isTrue("P2", fmt.Sprintf("%s %d KB: the call", x.name, x.size/kB), right(x.name, text, oursCalls(ours(text))))
		b.ratioAtMost("P2", fmt.Sprintf("%s %d KB / gjson.Valid on the twin", x.name, x.size/kB),
			func() { ours(text) }, validTwin(text), x.limit)
	}
	answer := inputs.Make("answer", 64*kB)
	s := parse.NewScanner(options)
	n, _ := allocations(func() { oursOn(s, answer) })
	b.atMost("P2", "answer 64 KB: allocations", float64(n), 8)
	write := inputs.Make("write", 1024*kB)
	b.isTrue("P2", "write 1 MB: the call", right("write", write, oursCalls(ours(write))))
	b.ratioAtMost("P2", "write 1 MB / gjson.Valid", func() { ours(write) }, func() { gjson.Valid(write) }, 2.8)
}

// p3: finding and decoding, against decoding the call's bytes alone.
func (b *bench) p3() {
	for _, x := range []struct {
		name  string
		size  int
		limit float64
	}{{"bare", 300, 1.2}, {"chatty", 2 * kB, 1.5}, {"think", 16 * kB, 1.5}, {"write", 1024 * kB, 0.9}} {
		text := inputs.Make(x.name, x.size)
		source := []byte(theCall(x.name, text))
		b.isTrue("P3", x.name+": the decoded call", right(x.name, text, oursDecoded(text)))
		b.ratioAtMost("P3", x.name+", decoded / json.Unmarshal of the call alone",
			func() { oursDecoded(text) }, func() { unmarshal(source) }, x.limit)
	}
	text := inputs.Make("write", 1024*kB)
	_, size := allocations(func() { oursDecoded(text) })
	b.atMost("P3", "write 1 MB, decoded: bytes allocated a byte", float64(size)/float64(len(text)), 2.5)
}

func unmarshal(source []byte) {
	var v any
	if err := json.Unmarshal(source, &v); err != nil {
		panic(err)
	}
}

// p4: against Ollama's generic parser, the same bytes at once.
func (b *bench) p4() {
	for _, x := range []struct {
		name  string
		size  int
		limit float64
	}{{"chatty", 2 * kB, 1.25}, {"think", 16 * kB, 1.6}, {"write", 1024 * kB, 1.5}, {"answer", 64 * kB, 4}} {
		text, tag := inputs.Make(x.name, x.size), tagFor(x.name)
		b.atLeast("P4", fmt.Sprintf("ollama tools (%s) / ours, %s", verdict(right(x.name, text, ollamaTools(tag, text))), x.name),
			b.ratio(func() { ollamaTools(tag, text) }, func() { ours(text) }), x.limit)
	}
	text := inputs.Make("answer", 64*kB)
	b.isTrue("P4", "answer 64 KB: no call", ours(text).Outcome == parse.Final)
}

func verdict(ok bool) string {
	if ok {
		return "right"
	}
	return "wrong"
}

// p5: a stream of a long call.
func (b *bench) p5() {
	write := inputs.Make("write", 1024*kB)
	s := parse.NewScanner(options)
	streamed := func() { oursStreamed(s, write) }
	b.isTrue("P5", "write 1 MB, streamed: the call", right("write", write, oursCalls(oursStreamed(s, write))))
	b.ratioAtMost("P5", "write 1 MB, streamed / whole", streamed, func() { oursOn(s, write) }, 3)
	b.ratioAtMost("P5", "write 1 MB, streamed / json.Decoder", streamed, func() { decoderStreamed(write) }, 1.5)
	small := inputs.Make("write", 64*kB)
	perToken := b.ratio(streamed, func() { // as much text, in smaller replies
		for range len(write) / len(small) {
			oursStreamed(s, small)
		}
	}) * float64(len(write)/len(small)*len(small)) / float64(len(write))
	b.atMost("P5", "write, time a token at 1 MB / at 64 KB", perToken, 1.3)
	b.atMost("P5", "write, streamed: growth exponent", b.slope("write", 64*kB, func(text string) { oursStreamed(s, text) }), 1.1)
	n, _ := allocations(streamed)
	b.atMost("P5", "write 1 MB, streamed: allocations a token", float64(n)/float64(len(write)/piece), 0.05)
}

// p6: a stream against Ollama's.
func (b *bench) p6() {
	call := "<tool_call>\n" + inputs.Make("write", 64*kB) + "\n</tool_call>"
	prose := inputs.Make("prose", 64*kB)
	s := parse.NewScanner(options)
	streamed := func() { oursStreamed(s, call) }
	inner := call[len("<tool_call>\n") : len(call)-len("\n</tool_call>")]
	b.isTrue("P6", "tagged write 64 KB, streamed: the call", right("write", inner, oursCalls(oursStreamed(s, call))))
	few := bench{rounds: min(b.rounds, 3)} // seconds a sample
	b.atLeast("P6", fmt.Sprintf("ollama tools (%s) / ours, tagged write 64 KB streamed", verdict(right("write", inner, ollamaToolsStreamed("<tool_call>", call)))),
		few.ratio(func() { ollamaToolsStreamed("<tool_call>", call) }, streamed), 100)
	b.atLeast("P6", fmt.Sprintf("ollama qwen3 (%s) / ours, tagged write 64 KB streamed", verdict(right("write", inner, qwen3Streamed(call)))),
		b.ratio(func() { qwen3Streamed(call) }, streamed), 5)
	streamed = func() { oursStreamed(s, prose) }
	b.ratioAtMost("P6", "prose 64 KB streamed, ours / ollama tools", streamed, func() { ollamaToolsStreamed("<tool_call>", prose) }, 4)
	b.ratioAtMost("P6", "prose 64 KB streamed, ours / ollama qwen3", streamed, func() { qwen3Streamed(prose) }, 1.0/5)
}

// p7: hostile texts stay linear in time and memory.
func (b *bench) p7() {
	for _, name := range inputs.Hostile {
		for _, w := range oursWays() {
			b.hostile(name, w)
		}
	}
	for _, w := range oursWays() {
		worst, which := 0.0, ""
		for _, name := range slices.Sorted(maps.Keys(inputs.Tempting)) {
			if e := b.slope(name, 128*kB, w.read); e > worst {
				worst, which = e, name
			}
		}
		b.atMost("P7", fmt.Sprintf("%d further texts, %s: the worst exponent (%s)", len(inputs.Tempting), w.name, which), worst, 1.1)
	}
}

// hostile measures one hostile text of 1 MB: the growth exponent, the time
// against a loop over the bytes, and the heap against 4 × input + 1 MiB.
func (b *bench) hostile(name string, w way) {
	text := inputs.Make(name, 1024*kB)
	slope := b.slope(name, 128*kB, w.read)
	loops, note := b.within(6, func() { w.read(text) }, func() { depth = byteLoop(text) })
	limit := 4*uint64(len(text)) + 1<<20
	heap := float64(peakHeap(limit, func() { w.fresh().read(text) })) / float64(limit)
	b.row("P7", fmt.Sprintf("%s, %s: exponent, × byte loop, heap share", name, w.name), "≤ 1.1, ≤ 6, ≤ 1",
		fmt.Sprintf("%.2f, %.1f%s, %.2f", slope, loops, note, heap), slope <= 1.1 && loops <= 6 && heap <= 1)
}

// slope is the growth exponent of read from a size to 1 MB. The machine is
// noisy, so a bad one is taken up to three times.
func (b *bench) slope(name string, from int, read func(string)) (best float64) {
	var sizes []int
	var texts []string
	for n := from; n <= 1024*kB; n *= 2 {
		sizes, texts = append(sizes, n), append(texts, inputs.Make(name, n))
	}
	for try := range 3 {
		samples := make([][]time.Duration, len(sizes))
		for range max(b.rounds/3, 1) {
			for i, text := range texts {
				samples[i] = append(samples[i], sample(func() { read(text) }))
			}
		}
		times := make([]time.Duration, len(sizes))
		for i := range times {
			times[i] = median(samples[i])
		}
		if e := exponent(sizes, times); try == 0 || e < best {
			best = e
		}
		if best <= 1.1 {
			break
		}
	}
	return best
}

// p8: repair.
func (b *bench) p8() {
	s := parse.NewScanner(options)
	for _, name := range []string{"broken", "slips"} {
		text := inputs.Make(name, 64*kB)
		r := ours(text)
		switch name {
		case "broken": // cut at its end
			b.isTrue("P8", "broken 64 KB: truncated", r.Outcome == parse.Unparseable && r.Problem.Reason == parse.ReasonTruncated)
		case "slips": // the same, whole
			b.isTrue("P8", "slips 64 KB: one call, repaired", len(r.Calls) == 1 && len(r.Calls[0].Repairs) > 0)
		}
		read := func() { oursOn(s, text) }
		b.atLeast("P8", "RealAlexandreAI / ours, "+name+" 64 KB", b.ratio(func() { repair.RepairJSON(text) }, read), 4)
		b.ratioAtMost("P8", name+" 64 KB / gjson.Valid on the twin", read, validTwin(text), 12)
		b.atMost("P8", name+": growth exponent", b.slope(name, 128*kB, func(text string) { oursOn(s, text) }), 1.1)
	}
	write := inputs.Make("write", 1024*kB)
	r := ours(write)
	b.isTrue("P8", "write 1 MB: valid JSON, no repair", len(r.Calls) == 1 && len(r.Calls[0].Repairs) == 0)
}
