package tools

import (
	"maps"
	"strings"
	"sync"
)

// Mistakes counts the wrong calls of one run, so that a mistake made again and
// again gets a longer answer than the one that did not help. The [Set] is
// shared, so the run keeps it: put the same one in every [Call]. Its zero value
// is ready; it is safe for concurrent use.
//
// The same mistake is the same tool with the same faults in the same arguments,
// whatever their values, or the same name that is no tool, or the same error
// text. A call of the tool that succeeds clears its counts.
type Mistakes struct {
	mu sync.Mutex
	n  map[string]int
}

const (
	// tries is the try that gets the longer answer; later ones get it too.
	tries = 3

	// maxMistakes bounds the memory of a run.
	maxMistakes = 1000
)

// Clone returns a copy that counts on its own: for calls that may turn out not to
// count.
func (m *Mistakes) Clone() *Mistakes {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Mistakes{n: maps.Clone(m.n)}
}

// again counts a mistake and reports whether it was made often enough for the
// longer answer.
func (m *Mistakes) again(tool, mistake string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n == nil || len(m.n) >= maxMistakes {
		m.n = map[string]int{}
	}
	key := tool + "\x00" + mistake
	m.n[key]++
	return m.n[key] >= tries
}

// clear forgets the mistakes made with a tool.
func (m *Mistakes) clear(tool string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.n {
		if strings.HasPrefix(key, tool+"\x00") {
			delete(m.n, key)
		}
	}
}
