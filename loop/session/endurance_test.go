package session_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/loop/session"
	"github.com/localagent/localagent/tools"
)

const enduranceSteps = 1000

// A stepCost is what the run had cost when a step ended.
type stepCost struct {
	allocated uint64        // bytes in all
	heap      uint64        // bytes alive; 0: not measured
	took      time.Duration // since the step before
}

// endurance drives a run of many steps in a window of 8,192 tokens, every call
// another one with a result of about 600 bytes, and logs it. It returns the
// cost after each step and the log.
func endurance(t testing.TB) ([]stepCost, string, *loop.Result) {
	m := &replay.Model{}
	for i := range enduranceSteps * 2 { // some are played as summaries
		m.Replies = append(m.Replies, replay.Reply{
			Text: fmt.Sprintf("Now part %d.\n```json\n{\"tool\":\"part\",\"args\":{\"n\":%d}}\n```\n", i, i),
		})
	}
	type part struct {
		N int `json:"n"`
	}
	read := tools.New(tools.Tool{
		Name: "part", Description: "Read one part.", Class: tools.Read, Access: tools.ReadOnly,
	}, func(ctx context.Context, c tools.Call, in part) (string, error) {
		return strings.Repeat(fmt.Sprintf("part %d of the text\n", in.N), 30), nil
	})
	l, err := session.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var costs []stepCost
	before := time.Now()
	a := loop.Agent{Model: m, Tools: tools.NewSet(read), Window: 8192, MaxSteps: enduranceSteps}
	a.Record = func(ev loop.Event) error {
		if _, ok := ev.(loop.StepEnded); ok {
			costs = append(costs, measure(len(costs), before))
			before = time.Now()
		}
		return l.Write(ev)
	}
	res := a.Run(context.Background(), &loop.Transcript{}, loop.Prompt{Text: "Read all the parts."})
	return costs, l.Path(), res
}

func measure(step int, before time.Time) stepCost {
	c := stepCost{took: time.Since(before)}
	var mem runtime.MemStats
	if every := 10; step%every == 0 {
		runtime.GC()
		runtime.ReadMemStats(&mem)
		c.heap = mem.HeapAlloc
	} else {
		runtime.ReadMemStats(&mem)
	}
	c.allocated = mem.TotalAlloc
	return c
}

// late is the median over the last 100 steps, early that over the steps 100 to
// 200, of a cost that a step may have.
func early(costs []stepCost, f func(i int) (float64, bool)) float64 { return median(100, 200, f) }
func late(costs []stepCost, f func(i int) (float64, bool)) float64 {
	return median(len(costs)-100, len(costs), f)
}

func median(from, to int, f func(i int) (float64, bool)) float64 {
	var values []float64
	for i := from; i < to; i++ {
		if v, ok := f(i); ok {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// A run of 1,000 steps costs at its end what it cost at its beginning: the work
// of a step, counted in bytes allocated, and the memory that is held. The log
// has every step.
func TestEndurance(t *testing.T) {
	costs, path, res := endurance(t)
	if res.Stop != loop.StopMaxSteps || len(costs) != enduranceSteps {
		t.Fatalf("%d steps, stop %s, %v", len(costs), res.Stop, res.Err)
	}
	if res.State.Failures > 0 || res.State.Calls != enduranceSteps {
		t.Errorf("%d calls, %d failed", res.State.Calls, res.State.Failures)
	}
	for what, f := range map[string]func(i int) (float64, bool){
		"heap": func(i int) (float64, bool) { return float64(costs[i].heap), costs[i].heap > 0 },
		"work": func(i int) (float64, bool) { return float64(costs[i].allocated - costs[i-1].allocated), true },
	} {
		e, l := early(costs, f), late(costs, f)
		t.Logf("%s: %.0f bytes in steps 100 to 200, %.0f in the last 100, ratio %.2f", what, e, l, l/e)
		if l > 1.5*e {
			t.Errorf("%s grew by a factor of %.2f, expecting at most 1.5", what, l/e)
		}
	}
	checkComplete(t, path, res)
}

// checkComplete checks that the log has all steps, calls and results, and that
// the conversation goes on from it.
func checkComplete(t *testing.T, path string, res *loop.Result) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := make(map[string]int)
	for l, err := range session.Lines(f) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[l.Type]++; l.Type == "step" && l.Step != seen[l.Type] {
			t.Fatalf("step %d follows step %d", l.Step, seen[l.Type]-1)
		}
	}
	for typ, want := range map[string]int{
		"init": 1, "step": enduranceSteps, "tool_use": enduranceSteps, "tool_result": enduranceSteps,
		"compact": res.State.Compactions, "result": 1,
	} {
		if seen[typ] != want {
			t.Errorf("%d lines of type %s, expecting %d", seen[typ], typ, want)
		}
	}
	if res.State.Compactions == 0 {
		t.Error("nothing was compacted: the window was never filled")
	}
	info, err := session.Find("", path)
	if err != nil || info.Steps != enduranceSteps || info.Stop != loop.StopMaxSteps {
		t.Errorf("%+v, %v", info, err)
	}
}

// BenchmarkEndurance prints how much slower the last 100 of 1,000 steps are
// than steps 100 to 200, and how much more memory they hold.
func BenchmarkEndurance(b *testing.B) {
	for b.Loop() {
		costs, _, _ := endurance(b)
		took := func(i int) (float64, bool) { return float64(costs[i].took), true }
		heap := func(i int) (float64, bool) { return float64(costs[i].heap), costs[i].heap > 0 }
		b.ReportMetric(late(costs, took)/early(costs, took), "time-ratio")
		b.ReportMetric(late(costs, heap)/early(costs, heap), "heap-ratio")
		b.ReportMetric(late(costs, took)/1e6, "ms/step")
	}
}
