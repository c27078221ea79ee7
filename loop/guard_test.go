package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/tools"
)

func TestSignature(t *testing.T) {
	a := []Call{{ID: "1.1", Name: "f", Args: json.RawMessage(`{"a":1,"b":{"x":[1,{"q":2,"p":3}],"y":null}}`)}}
	tests := []struct {
		name string
		b    []Call
		same bool
	}{
		{"other id, key order and spacing", []Call{{ID: "9.9", Name: "f", Args: json.RawMessage(`{ "b": {"y":null, "x":[1,{"p":3,"q":2}]}, "a": 1 }`)}}, true},
		{"other name", []Call{{Name: "g", Args: a[0].Args}}, false},
		{"other value deep down", []Call{{Name: "f", Args: json.RawMessage(`{"a":1,"b":{"x":[1,{"q":2,"p":4}],"y":null}}`)}}, false},
		{"other digits of a number", []Call{{Name: "f", Args: json.RawMessage(`{"a":1.0,"b":{"x":[1,{"q":2,"p":3}],"y":null}}`)}}, false},
		{"one call more", append([]Call{{Name: "g", Args: json.RawMessage(`{}`)}}, a...), false},
	}
	for _, tt := range tests {
		if got := signature(a) == signature(tt.b); got != tt.same {
			t.Errorf("%s: same is %v", tt.name, got)
		}
	}
	if signature([]Call{{Name: "f", Args: json.RawMessage(`{"n":12345678901234567890123}`)}}) ==
		signature([]Call{{Name: "f", Args: json.RawMessage(`{"n":12345678901234567890124}`)}}) {
		t.Error("long numbers are rounded")
	}
}

// A trace is what a model does in a run, step by step: the same letter is the
// same call. A capital is a volatile call, and the digit behind it its result.
// A dot is a message of the user.
func TestGuardCorpus(t *testing.T) {
	tests := []struct {
		trace   string
		strikes int
		stops   int // the step at which the run stops; 0: it does not
		warned  int // steps answered with a warning before that
	}{
		// to stop
		{"aa", 0, 2, 0},
		{"aaa", 1, 3, 1},
		{"baa", 0, 3, 0},
		{"abcc", 0, 4, 0},
		{"abab" + "aa", 0, 6, 0},
		{"aaaa", 2, 4, 2},
		{"baaa", 1, 4, 1},
		{"a.aa", 0, 4, 0},
		{"P1P1P1P1P1", 0, 5, 0},
		{"P1P1P1P1P1P1", 1, 6, 1},
		{"P1P1P1P1P1P1P1", 2, 7, 2},
		{"P1P2P2P2P2P2", 0, 6, 0},
		{"aP1P1P1P1P1", 0, 6, 0},
		{"P1P1P1aP1P1P1P1P1", 0, 9, 0},
		{"aab" + "bbb", 1, 5, 2},
		{"ab.cc", 0, 5, 0},
		{"P1P2P3P4P4P4P4P4", 0, 8, 0},
		{"P1.P1P1P1P1P1", 0, 7, 0},
		{"abccc", 1, 5, 1},
		// not to stop
		{"abcdefgh", 0, 0, 0},
		{"abab", 0, 0, 0},
		{"abcabcabcabc", 0, 0, 0},
		{"aba", 0, 0, 0}, // reads again what it wrote
		{"a.a.a", 0, 0, 0},
		{"a.a", 0, 0, 0},
		{"aab", 1, 0, 1},
		{"aabaab", 1, 0, 2},
		{"aabbccdd", 1, 0, 4},
		{"P1P2P3P4P5P6P7", 0, 0, 0},           // honest polling
		{"P1P1P1P1P2", 0, 0, 0},               // waits
		{"P1P1P1P1P2P2P2P2P3P3P3P3", 0, 0, 0}, // waits long
		{"P1P1P1P1aP1P1P1P1", 0, 0, 0},
		{"P1P1P1P1.P1P1P1P1", 0, 0, 0},
		{"P1aP1aP1aP1aP1a", 0, 0, 0},
		{"P1P1P1P1P1P2", 1, 0, 1},
		{"eTeTeTeT", 0, 0, 0}, // edit and test
		{"rmrmrm", 0, 0, 0},
		{"abbab", 1, 0, 1},
		{"P1P2P1P2P1P2P1P2", 0, 0, 0},
	}
	for i, tt := range tests {
		g := guardState{Guard: Guard{Strikes: tt.strikes}}
		stops, warned := playTrace(&g, tt.trace)
		if stops != tt.stops || warned != tt.warned {
			t.Errorf("%d: %s with %d strikes: stops at %d after %d warnings, want %d after %d", i, tt.trace, tt.strikes, stops, warned, tt.stops, tt.warned)
		}
		off := guardState{Guard: Guard{Off: true}}
		if stops, warned := playTrace(&off, tt.trace); stops+warned != 0 {
			t.Errorf("%d: %s: a guard that is off rules", i, tt.trace)
		}
	}
}

func playTrace(g *guardState, trace string) (stops, warned int) {
	step := 0
	for i := 0; i < len(trace); i++ {
		c := trace[i]
		if c == '.' {
			g.reset()
			step++
			continue
		}
		step++
		volatile := c >= 'A' && c <= 'Z'
		digest := ""
		if volatile && i+1 < len(trace) && trace[i+1] >= '0' && trace[i+1] <= '9' {
			i++
			digest = string(trace[i])
		} else if volatile {
			digest = fmt.Sprint("new ", i)
		}
		ruling := g.before(string(c), volatile)
		if ruling == rulingRun && volatile {
			ruling = g.after(digest)
		}
		switch ruling {
		case rulingWarn:
			warned++
		case rulingStop:
			return step, warned
		}
	}
	return 0, warned
}

func TestGuardStops(t *testing.T) {
	same := func(n int) []line {
		var ls []line
		for range n {
			ls = append(ls, calls(use("echo", "text", "a")))
		}
		return ls
	}
	t.Run("at once", func(t *testing.T) {
		res, s, tr := runScript(t, &Agent{Tools: toolbox()}, same(5)...)
		if res.Stop != StopLoopGuard || len(s.requests) != 2 || !strings.Contains(res.Err.Error(), "echo") {
			t.Errorf("%q after %d requests: %v", res.Stop, len(s.requests), res.Err)
		}
		if diff := cmp.Diff([]tools.Status{tools.OK, tools.Repeated}, statuses(tr)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("warned first", func(t *testing.T) {
		a := &Agent{Tools: toolbox(), Guard: Guard{Strikes: 1}, MaxSteps: 50}
		res, s, tr := runScript(t, a, same(9)...)
		if res.Stop != StopLoopGuard || len(s.requests) != 3 {
			t.Errorf("%q after %d requests", res.Stop, len(s.requests))
		}
		if diff := cmp.Diff([]tools.Status{tools.OK, tools.Repeated, tools.Repeated}, statuses(tr)); diff != "" {
			t.Error(diff)
		}
		if told := lastUser(s.requests[2]); !strings.Contains(told, "stands above") {
			t.Errorf("the model is not told: %s", told)
		}
	})
	t.Run("volatile", func(t *testing.T) {
		ran := 0
		set := tools.NewSet(&tools.Tool{Name: "status", Class: tools.Read, Access: tools.ReadOnly, Volatile: true,
			Run: func(context.Context, tools.Call) (any, error) { ran++; return "waiting", nil }})
		a := &Agent{Tools: set, Guard: Guard{Strikes: 1}}
		s := &script{lines: []line{calls(use("status"))}, forever: true}
		a.Model = s
		tr := &Transcript{}
		res := a.Run(context.Background(), tr, Prompt{Text: "go"})
		if res.Stop != StopLoopGuard || ran != 6 {
			t.Errorf("%q after %d runs", res.Stop, ran)
		}
		checkRun(t, tr, s)
	})
	t.Run("honest polling", func(t *testing.T) {
		var lines []line
		for range 12 {
			lines = append(lines, calls(use("tick")))
		}
		res, _, _ := runScript(t, &Agent{Tools: toolbox()}, append(lines, says("done"))...)
		if res.Stop != StopFinal {
			t.Errorf("%q: %v", res.Stop, res.Err)
		}
	})
	t.Run("a new prompt resets it", func(t *testing.T) {
		s := &script{lines: []line{calls(use("echo", "text", "a")), says("1"), calls(use("echo", "text", "a")), says("2")}}
		a := &Agent{Model: s, Tools: toolbox()}
		tr := &Transcript{}
		for range 2 {
			if res := a.Run(context.Background(), tr, Prompt{Text: "go"}); res.Stop != StopFinal {
				t.Fatalf("%q: %v", res.Stop, res.Err)
			}
		}
		if diff := cmp.Diff([]tools.Status{tools.OK, tools.OK}, statuses(tr)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ABAB ends at the step limit", func(t *testing.T) {
		var lines []line
		for i := range 30 {
			lines = append(lines, calls(use("echo", "text", string(rune('a'+i%2)))))
		}
		res, s, _ := runScript(t, &Agent{Tools: toolbox()}, lines...)
		if res.Stop != StopMaxSteps || len(s.requests) != 20 {
			t.Errorf("%q after %d requests", res.Stop, len(s.requests))
		}
	})
}
