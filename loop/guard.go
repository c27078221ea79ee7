package loop

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/localagent/localagent/tools"
)

// Guard is the loop guard. It compares a step with the one before and with no
// other: a model that reads a file again after it did something else is right
// to do so, and longer cycles (A, B, A, B) end at [Agent.MaxSteps].
//
// Two steps are equal when they make the same calls, whatever the order of
// keys, the spacing and the ids. Calls of a Volatile tool (polling, time, a
// shell) are run all the same and compared by their results: only the fifth
// equal result in a row counts as a repeat. A user's message resets the guard.
type Guard struct {
	Off bool
	// Strikes is how often a step equal to the one before is answered with a
	// warning instead of being run, before the run stops. 0: it stops at once.
	Strikes int
}

// patience is how many equal results of a volatile step in a row are one
// repeat: honest polling waits a little.
const patience = 5

// guardState is the memory of the loop guard.
type guardState struct {
	Guard
	last   string // signature of the step before
	digest string // of its results, when it was volatile
	same   int    // volatile steps with the same digest in a row
	hits   int    // repeats in a row
}

// ruling is what the guard says of a step.
type ruling uint8

const (
	rulingRun ruling = iota
	rulingWarn
	rulingStop
)

// before rules on the calls of a step that has not run.
func (g *guardState) before(signature string, volatile bool) ruling {
	if g.Off {
		return rulingRun
	}
	if signature != g.last {
		*g = guardState{Guard: g.Guard, last: signature}
		return rulingRun
	}
	if volatile {
		return rulingRun
	}
	return g.hit()
}

// after rules on a volatile step that has run.
func (g *guardState) after(digest string) ruling {
	if g.Off {
		return rulingRun
	}
	if digest != g.digest {
		g.digest, g.same, g.hits = digest, 1, 0
		return rulingRun
	}
	g.same++
	if g.same < patience {
		return rulingRun
	}
	return g.hit()
}

func (g *guardState) hit() ruling {
	g.hits++
	if g.hits > g.Strikes {
		return rulingStop
	}
	return rulingWarn
}

// had reports whether the step before made the call, so that it may be one that
// is not to run.
func (g *guardState) had(c Call) bool {
	return !g.Off && strings.Contains("\n"+g.last, "\n"+signature([]Call{c}))
}

// reset forgets the step before: a user has spoken.
func (g *guardState) reset() { *g = guardState{Guard: g.Guard} }

// callKey is what makes two calls the same.
func callKey(name string, args json.RawMessage) string { return name + string(sortedJSON(args)) }

func sameCall(a, b Call) bool { return callKey(a.Name, a.Args) == callKey(b.Name, b.Args) }

// signature is what makes two steps the same.
func signature(calls []Call) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString(callKey(c.Name, c.Args))
		b.WriteByte('\n')
	}
	return b.String()
}

// digestOf is what makes the results of two steps the same.
func digestOf(results []tools.Result) string {
	h := sha256.New()
	for _, r := range results {
		text := r.Digest
		if text == "" {
			text = r.Text
		}
		h.Write([]byte(string(r.Status) + "\x00" + text + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sortedJSON is the value with its keys sorted at every depth, digits of
// numbers as they were. What is not JSON stays as it is.
func sortedJSON(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}
