package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	repair "github.com/RealAlexandreAI/json-repair"
	"github.com/kaptinlin/jsonrepair"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
)

// patience is the time after which a contestant gets no longer text.
const patience = 400 * time.Millisecond

// A way is one contestant's way of reading a text.
type way struct {
	name string
	read func(string)
}

// oursWays are a scanner's two ways: the text at once, and in pieces.
func oursWays() []way {
	s := parse.NewScanner(options)
	return []way{
		{"whole", func(t string) { oursOn(s, t) }},
		{"streamed", func(t string) { oursStreamed(s, t) }},
	}
}

// fresh is the same way with a scanner that has no buffer yet.
func (w way) fresh() way {
	ways := oursWays()
	return ways[slices.IndexFunc(ways, func(x way) bool { return x.name == w.name })]
}

func ways() []way {
	ours := oursWays()
	return []way{
		{"ours", ours[0].read},
		{"ours, streamed", ours[1].read},
		{"ollama tools", func(t string) { ollamaTools("{", t) }},
		{"ollama tools, streamed", func(t string) { ollamaToolsStreamed("{", t) }},
		{"ollama qwen3, streamed", func(t string) { qwen3Streamed("<tool_call>" + t) }},
		{"RealAlexandreAI", func(t string) { repair.RepairJSON(t) }},
		{"kaptinlin", func(t string) { jsonrepair.Repair(t) }},
	}
}

// growth prints how the time of each contestant grows with the text: the
// exponent over the last three sizes, and the time at the last.
func growth(w io.Writer) {
	all := ways()
	fmt.Fprint(w, "| text |")
	for _, x := range all {
		fmt.Fprintf(w, " %s |", x.name)
	}
	fmt.Fprint(w, "\n| --- |")
	for range all {
		fmt.Fprint(w, " --- |")
	}
	for _, name := range append([]string{"write"}, inputs.Hostile...) {
		fmt.Fprintf(w, "\n| %s |", name)
		for _, x := range all {
			fmt.Fprintf(w, " %s |", grow(name, x.read))
		}
	}
	fmt.Fprintln(w)
}

func grow(name string, read func(string)) string {
	var sizes []int
	var times []time.Duration
	for n := 8 * kB; n <= 1024*kB; n *= 2 {
		text := inputs.Make(name, n)
		sizes, times = append(sizes, n), append(times, sample(func() { read(text) }))
		if times[len(times)-1] > patience {
			break
		}
	}
	last := len(sizes) - 1
	from := max(0, last-2)
	return fmt.Sprintf("%.2f, %s at %d KB", exponent(sizes[from:], times[from:]), round(times[last]), sizes[last]/kB)
}

// round gives a time about three digits.
func round(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
