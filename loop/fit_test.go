package loop

import (
	"slices"
	"strings"
	"testing"
)

// When three quarters of the room for the prompt are full the model is told,
// once.
func TestTokenWarning(t *testing.T) {
	words := func(tokens int) string { return strings.Repeat("x", int(float64(tokens)*bytesPerToken)) }
	tests := []struct {
		name   string
		task   int   // tokens of the prompt's text
		call   int   // tokens of the first call's argument, and of its result
		warned []int // the requests that say so
	}{
		{"room enough", 1200, 100, nil},
		{"a result fills it", 1300, 500, []int{1}},
		{"full from the start", 2300, 10, []int{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := &Agent{Tools: toolbox(), Window: 4096} // room for 3072
			s := &script{lines: []line{calls(use("echo", "text", words(tt.call))), calls(use("echo", "text", "b")), says("done")}}
			a.Model = s
			evs := eventsOf(a, nil, Prompt{Text: words(tt.task)})
			if res := eventsOfType[RunEnded](evs)[0].Result; res.Stop != StopFinal || res.State.Compactions != 0 {
				t.Fatalf("%q after %d compactions: %v", res.Stop, res.State.Compactions, res.Err)
			}
			var warned []int
			for i, req := range s.requests {
				if strings.Contains(lastUser(req), "of 3072 tokens of context are used. Be brief") {
					warned = append(warned, i)
				}
			}
			if !slices.Equal(warned, tt.warned) {
				t.Errorf("told in requests %v, want %v", warned, tt.warned)
			}
		})
	}
}
