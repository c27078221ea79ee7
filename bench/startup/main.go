// Command startup compares how fast localagent starts, how much memory that
// takes and how large it is, with a trivial Go program and with a bare client of
// the Ollama API that are built in the same run:
//
//	cd bench && go run ./startup
//
// It prints ratios: the median, over the rounds, of the ratio of a round. The
// programs take turns, pinned to one processor by GOMAXPROCS=1, so a busy
// machine slows all of them. The goals are those of the project; the status is 1
// when one is missed.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A program is one of those that are compared.
type program struct {
	name string
	dir  string // where it is built
	pkg  string
	args []string

	path string
	size int64
	wall []time.Duration // by round
	rss  []int64         // KiB, by round
}

// A goal is a ratio that must not be exceeded.
type goal struct {
	what  string
	got   float64
	limit float64
}

func main() {
	rounds := flag.Int("rounds", 31, "`number` of rounds")
	flag.Parse()
	if err := run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

func run(rounds int) error {
	dir, err := os.MkdirTemp("", "startup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	trivial := &program{name: "trivial", dir: ".", pkg: "./trivial"}
	client := &program{name: "client", dir: ".", pkg: "./client", args: []string{"--version"}}
	ours := &program{name: "localagent", dir: "..", pkg: "./cmd/localagent", args: []string{"--version"}}
	help := &program{name: "localagent --help", args: []string{"--help"}}
	for _, p := range []*program{trivial, client, ours} {
		if err := p.build(dir); err != nil {
			return err
		}
	}
	help.path, help.size = ours.path, ours.size
	all := []*program{trivial, client, ours, help}
	if node, err := exec.LookPath("node"); err == nil {
		all = append(all, &program{name: "node -e 0", path: node, args: []string{"-e", "0"}})
	}
	if err := measure(all, rounds); err != nil {
		return err
	}
	report(all)
	goals := []goal{
		{"--version against trivial, wall", ratio(ours.wall, trivial.wall), 3.5},
		{"--help against trivial, wall", ratio(help.wall, trivial.wall), 3.5},
		{"--version against client, wall", ratio(ours.wall, client.wall), 1.25},
		{"--help against client, wall", ratio(help.wall, client.wall), 1.25},
		{"--version against client, memory", ratio(ours.rss, client.rss), 1.5},
		{"stripped size against client", float64(ours.size) / float64(client.size), 1.25},
	}
	if len(all) > 4 {
		goals = append(goals, goal{"--version against node -e 0, wall", ratio(ours.wall, all[4].wall), 1.0 / 15})
	}
	return judge(goals)
}

// build builds the program stripped.
func (p *program) build(dir string) error {
	p.path = filepath.Join(dir, p.name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.path, p.pkg)
	cmd.Dir = p.dir
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w", p.pkg, err)
	}
	st, err := os.Stat(p.path)
	if err != nil {
		return err
	}
	p.size = st.Size()
	return nil
}

// measure runs the programs in turn; the first round only warms them up.
func measure(all []*program, rounds int) error {
	for round := range rounds + 1 {
		for _, p := range all {
			cmd := exec.Command(p.path, p.args...)
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
			began := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if round > 0 {
				p.wall = append(p.wall, time.Since(began))
				p.rss = append(p.rss, maxRSS(cmd.ProcessState))
			}
		}
	}
	return nil
}

func report(all []*program) {
	fmt.Printf("%-20s %10s %10s %10s\n", "", "wall", "memory", "size")
	for _, p := range all {
		fmt.Printf("%-20s %7.2f ms %6.1f MiB", p.name,
			float64(median(p.wall).Microseconds())/1000, float64(median(p.rss))/1024)
		if p.size > 0 {
			fmt.Printf(" %6.1f MB", float64(p.size)/1e6)
		}
		fmt.Println()
	}
	fmt.Println()
}

func judge(goals []goal) error {
	missed := 0
	for _, g := range goals {
		word := "ok"
		if g.got > g.limit {
			word = "MISSED"
			missed++
		}
		fmt.Printf("%-36s %6.2f  (goal %.2f)  %s\n", g.what, g.got, g.limit, word)
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d goals are missed", missed, len(goals))
	}
	return nil
}

// ratio is the median of the rounds' ratios.
func ratio[N time.Duration | int64](a, b []N) float64 {
	rs := make([]float64, len(a))
	for i := range a {
		rs[i] = float64(a[i]) / float64(max(1, b[i]))
	}
	return median(rs)
}

func median[N time.Duration | int64 | float64](list []N) N {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
