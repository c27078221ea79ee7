package main

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A status is a line on a terminal that says what is being waited for. It is
// drawn only where the cursor may be moved and nothing stands on its line, only
// after a short while, so that quick steps do not flicker, and it is gone before
// anything else is written.
type status struct {
	mu    sync.Mutex
	s     *screen
	all   []*screen // on the same terminal, s among them
	label string    // "": nothing is waited for
	since time.Time // when the wait began
	drawn string    // as it stands on the screen; "": it does not
	frame int
	stop  chan struct{}
}

const (
	statusDelay = 300 * time.Millisecond
	statusTick  = 120 * time.Millisecond
)

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// newStatus starts a status line on s. Whatever is written to one of the
// screens from now on erases it first.
func newStatus(s *screen, screens ...*screen) *status {
	st := &status{s: s, all: append(screens, s), stop: make(chan struct{})}
	for _, other := range st.all {
		other.before = st
	}
	go st.run()
	return st
}

// close erases the line for good.
func (st *status) close() {
	close(st.stop)
	st.show("")
	for _, s := range st.all {
		s.before = nil
	}
}

// show says what is being waited for from now on; "" for nothing.
func (st *status) show(label string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.erase()
	st.label, st.since = label, time.Now()
}

// relabel changes what is said without starting the clock again.
func (st *status) relabel(label string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.label == "" {
		st.since = time.Now()
	}
	st.label = label
}

func (st *status) run() {
	tick := time.NewTicker(statusTick)
	defer tick.Stop()
	for {
		select {
		case <-st.stop:
			return
		case now := <-tick.C:
			st.mu.Lock()
			st.draw(now)
			st.mu.Unlock()
		}
	}
}

func (st *status) draw(now time.Time) {
	waited := now.Sub(st.since)
	if st.label == "" || waited < statusDelay || slices.ContainsFunc(st.all, func(s *screen) bool { return s.midLine }) {
		return
	}
	text := st.label
	if waited >= time.Second {
		text += " " + shortTime(waited.Truncate(time.Second))
	}
	st.frame = (st.frame + 1) % len(spinner)
	width := st.s.width()
	line := cutWidth(spinner[st.frame]+" "+clean(text), width-1)
	st.s.show(st.begin(width) + st.s.paint(span{styleDim, line}) + "\x1b[K")
	st.drawn = line
}

// erase takes the line away. The lock is held.
func (st *status) erase() {
	if st.drawn != "" {
		st.s.show(st.begin(st.s.width()) + "\x1b[K")
		st.drawn = ""
	}
}

// begin brings the cursor to the start of the line. A terminal that has become
// too narrow for it has made several of it, of which the first is left.
func (st *status) begin(width int) string {
	n := breaksBefore(st.drawn, math.MaxInt, width)
	if n == 0 {
		return "\r"
	}
	return "\r\x1b[" + strconv.Itoa(n) + "A\x1b[J"
}

// around calls write in a moment when the line is not there.
func (st *status) around(write func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.erase()
	write()
}
