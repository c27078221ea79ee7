package main

import "testing"

func TestProbeBetter(t *testing.T) {
	for _, c := range []struct {
		name string
		r, s probeResult
		want bool
	}{
		{"more right", probeResult{Right: 3, Unparseable: 5}, probeResult{Right: 2}, true},
		{"fewer unusable", probeResult{Right: 2, Unparseable: 1}, probeResult{Right: 2, Unparseable: 2}, true},
		{"fewer repairs", probeResult{Right: 2, Repaired: 0}, probeResult{Right: 2, Repaired: 1}, true},
		{"equal: the first stays", probeResult{Right: 2}, probeResult{Right: 2}, false},
	} {
		if got := c.r.better(c.s); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestProbeAnswered(t *testing.T) {
	task := probeTask{answer: "14946"}
	for answer, want := range map[string]bool{
		"It is 14946.":      true,
		"It is 14,946.":     true,
		"14 946":            true,
		"It is 1494.":       false,
		"I can't tell.":     false,
		"14\u202f946 is it": true,
	} {
		if got := task.answered(answer); got != want {
			t.Errorf("%q: %t", answer, got)
		}
	}
}
