package safejson

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// fileInfo is what a listing tool returns.
type fileInfo struct {
	Path    string   `json:"path"`
	Size    int64    `json:"size"`
	Dir     bool     `json:"dir,omitempty"`
	Lines   int      `json:"lines,omitempty"`
	Matches []string `json:"matches,omitempty"`
	Score   float64  `json:"score"`
}

// samples are values that both sides can encode.
func samples() []struct {
	name  string
	value any
	goal  float64 // of our time over encoding/json's
} {
	var maps []any
	var infos []fileInfo
	for i := range 50 {
		path := fmt.Sprintf("internal/pkg%02d/file_%d.go", i, i*7)
		maps = append(maps, map[string]any{
			"path": path, "size": float64(1000 + i), "dir": i%7 == 0, "note": nil,
			"matches": []any{"func main() {", "if err != nil {", i},
			"stat":    map[string]any{"lines": float64(i), "score": 0.5 + float64(i)/3, "mode": "-rw-r--r--"},
		})
		infos = append(infos, fileInfo{path, int64(1000 + i), i%7 == 0, i, []string{"func main() {", "<b> & \"x\""}, 0.5})
	}
	raw, _ := json.Marshal(maps)
	type option struct {
		N int     `json:"n,string"`
		F float64 `json:"f,string"`
		S string  `json:"s,string"`
	}
	type sparse struct {
		A string         `json:"a,omitempty"`
		B []int          `json:"b,omitempty"`
		C map[string]int `json:"c,omitempty"`
		D time.Time      `json:"d,omitzero"`
		E *time.Time     `json:"e,omitzero"`
		F any            `json:"f,omitempty"`
		G bool           `json:"g,omitempty"`
		H float64        `json:"h,omitempty"`
	}
	type nested struct {
		sparse
		Inner struct{ Inner struct{ A, B int } }
		Grid  [3][3]int
	}
	var dynamic []any
	var pointers []*fileInfo
	var options []option
	var numbers []json.Number
	var floats []float64
	var texts []netip.Addr
	for i := range infos {
		dynamic = append(dynamic, infos[i], &infos[i], int64(i), infos[i].Matches)
		pointers = append(pointers, &infos[i])
		options = append(options, option{i, float64(i) / 3, "text"})
		numbers = append(numbers, json.Number(fmt.Sprint(i*1000)), json.Number(fmt.Sprint(float64(i)/3)))
		floats = append(floats, float64(i), float64(i)/3, float64(i)*1e30)
		texts = append(texts, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}))
	}
	var deep any = 1
	for range 60 {
		deep = []any{deep}
	}
	ints := make([]int, 2000)
	named := map[string]int{}
	strs := map[string]string{}
	byID := map[int]fileInfo{}
	for i := range ints {
		ints[i] = i * 31
		named[fmt.Sprint("key", i)] = i
		strs[fmt.Sprint("key", i)] = fmt.Sprint("value ", i)
	}
	for i, info := range infos {
		byID[i] = info
	}
	return []struct {
		name  string
		value any
		goal  float64
	}{
		{"maps", map[string]any{"files": maps, "total": 50}, 1.1},
		{"list", maps, 1.1},
		{"structs", infos, 2},
		{"pointer", &infos[3], 2},
		{"ints", ints, 1.1},
		{"map of ints", named, 1.1},
		{"map of strings", strs, 1.1},
		{"map by number", byID, 2},
		{"raw", json.RawMessage(raw), 3},
		{"time", []time.Time{time.Unix(0, 0).UTC(), time.Unix(1e9, 5).UTC()}, 3},
		{"text", string(raw), 3},
		{"small", map[string]any{"ok": true}, 1.1},
		{"word", "done", 3},
		{"foreign text", strings.Repeat("Größe und Maß, 你好世界, привет мир 🙂 ", 200), 3},
		{"control characters", strings.Repeat("\x00\x01\t\n\"", 2000), 3},
		{"mixed", dynamic, 3},
		{"pointers", pointers, 2},
		{"string option", options, 2},
		{"omitted fields", make([]sparse, 100), 2},
		{"nested structs", make([]nested, 100), 2},
		{"numbers", numbers, 1.1},
		{"floats", floats, 1.1},
		{"text marshalers", texts, 3},
		{"json marshalers", []json.Marshaler{json.RawMessage(`[1, 2]`), json.RawMessage(`{"a": "b"}`)}, 3},
		{"bytes", []byte(strings.Repeat("line of text\n", 1000)), 3},
		{"deep", deep, 1.1},
		{"nulls", make([]any, 1000), 1.1},
		{"booleans", make([]bool, 1000), 1.1},
		{"empty maps", make([]map[string]any, 1000), 1.1},
		{"large", strings.Repeat("text ", 200_000), 3},
		{"too large", strings.Repeat("text ", 2_000_000), 3},
		{"too many", make([]int, 2_000_000), 3},
	}
}

// BenchmarkRatio prints how long Marshal takes in units of json.Marshal, which
// encodes the same value in turn with it: the median of all rounds in processor
// time, beside the goal, and the allocations of both. Ratios hold on a noisy
// machine; times do not, so none is printed and none is checked. Run it on one
// processor: go test -run='^$' -bench=Ratio -cpu=1 ./tools/safejson
func BenchmarkRatio(b *testing.B) {
	for _, s := range samples() {
		b.Run(strings.ReplaceAll(s.name, " ", "_"), func(b *testing.B) {
			safe := func() { Marshal(s.value) }
			std := func() { json.Marshal(s.value) }
			n := perRound(std)
			var ratios []float64
			for b.Loop() {
				ratios = append(ratios, float64(timed(n, safe))/float64(timed(n, std)))
			}
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ratios[len(ratios)/2], "x-json")
			b.ReportMetric(s.goal, "goal")
			b.ReportMetric(testing.AllocsPerRun(10, safe), "allocs")
			b.ReportMetric(testing.AllocsPerRun(10, std), "json-allocs")
		})
	}
}

// perRound is how many calls take about a millisecond.
func perRound(f func()) int {
	f() // makes the codecs and fills the pools
	return 1 + int(time.Millisecond/(1+timed(20, f)/20))
}

func timed(n int, f func()) time.Duration {
	start := cpuTime()
	for range n {
		f()
	}
	return max(cpuTime()-start, 1)
}
