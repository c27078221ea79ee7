// Command peerbench measures package parse beside its peers and prints tables in
// Markdown: each goal with its limit, and how time grows with the text.
//
//	cd parse/peerbench && go run .
//
// It is a module of its own, so that the peers are no dependency of the project.
// All sides take turns in one process on one processor, and a figure is the
// median over the rounds of that round's ratio: on a machine that is not idle
// nothing else means much. A speed counts only where the answer is right.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
)

func main() {
	rounds := flag.Int("rounds", 9, "rounds in which the sides take turns")
	only := flag.String("goals", "P1,P2,P3,P4,P5,P6,P7,P8", "goals to measure")
	table := flag.Bool("growth", true, "print how time grows, peers included")
	flag.Parse()
	runtime.GOMAXPROCS(1)

	b := bench{rounds: *rounds}
	fmt.Println("| goal | measured | limit | got | |")
	fmt.Println("| --- | --- | --- | --- | --- |")
	for _, g := range []struct {
		id      string
		measure func()
	}{{"P1", b.p1}, {"P2", b.p2}, {"P3", b.p3}, {"P4", b.p4}, {"P5", b.p5}, {"P6", b.p6}, {"P7", b.p7}, {"P8", b.p8}} {
		if strings.Contains(*only, g.id) {
			start := time.Now()
			g.measure()
			fmt.Fprintf(os.Stderr, "peerbench: %s took %s\n", g.id, time.Since(start).Round(time.Second))
		}
	}
	if *table {
		smallStack()
		fmt.Println()
		growth(os.Stdout)
	}
	if b.missed > 0 {
		fmt.Fprintf(os.Stderr, "peerbench: %d goals missed\n", b.missed)
		os.Exit(1)
	}
}

// smallStack reads every hostile text with room for few stack frames: a parser
// that recurses on the depth of its input dies here.
func smallStack() {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	done := make(chan struct{})
	go func() {
		defer close(done)
		s := parse.NewScanner(options)
		for _, name := range inputs.Hostile {
			oursOn(s, inputs.Make(name, 1<<20))
		}
	}()
	<-done
}
