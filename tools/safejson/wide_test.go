package safejson

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A map of many keys that has to be cut takes memory for its keys, not for the
// room once a key.
func TestWideMap(t *testing.T) {
	wide := map[string]int{strings.Repeat("k", 2<<20): 1, strings.Repeat("l", 2<<20): 2}
	for i := range 100_000 {
		wide[strings.Repeat("x", 8)+string(rune('a'+i%26))+string(rune(0x4e00+i/26))] = i
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := Options{MaxBytes: 1 << 20}.Append(nil, wide)
	runtime.ReadMemStats(&after)
	if !json.Valid(out) || !strings.Contains(string(out), "of 100002 fields left out") {
		t.Errorf("got %.100s…", out)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

// Nor does a map take quadratic time whose keys are those that a cut would add.
func TestKeysLikeCuts(t *testing.T) {
	m := map[string]any{"[cut]": 1, "long": strings.Repeat("x", 2<<20)}
	const n = 40_000
	for i := range n {
		m[fmt.Sprintf("[cut %d]", i)] = 1
	}
	out := Options{MaxBytes: n * 14}.Append(nil, m)
	if !json.Valid(out) || !strings.Contains(string(out), fmt.Sprintf(`"[cut %d]":"`, n)) {
		t.Errorf("got %.100s…%.200s", out, out[max(0, len(out)-200):])
	}
}
