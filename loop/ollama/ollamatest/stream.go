package ollamatest

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"time"
)

// A stream writes one reply, line by line, while its client is there.
type stream struct {
	w    http.ResponseWriter
	done <-chan struct{} // closed when the client went away
	left chan<- struct{}
}

// send writes the whole reply.
func (s *stream) send(model string, r Reply) {
	delay := time.Duration(r.DelayMS) * time.Millisecond
	if r.Wait != nil && !wait(s, r.Wait) || !wait(s, time.After(delay)) {
		return
	}
	if r.Status >= http.StatusBadRequest {
		s.refuse(r)
		return
	}
	s.w.Header().Set("Content-Type", "application/x-ndjson")
	s.w.WriteHeader(http.StatusOK)
	s.flush()
	lines := r.lines(model)
	for again := true; again; again = r.Endless {
		for i, l := range lines {
			if !wait(s, time.After(delay)) {
				return
			}
			if !r.NoNewline || r.Lines == nil || i < len(lines)-1 {
				l += "\n"
			}
			io.WriteString(s.w, l)
			s.flush()
		}
	}
	if r.Hang {
		wait(s, make(chan struct{}))
		return
	}
	s.end(model, r, len(lines))
}

// refuse answers with an HTTP error.
func (s *stream) refuse(r Reply) {
	if r.Error == "" {
		s.w.WriteHeader(r.Status)
		io.WriteString(s.w, strings.Join(r.Lines, "\n"))
		return
	}
	fail(s.w, r.Status, r.Error)
}

// end writes the last line, if there is one.
func (s *stream) end(model string, r Reply, lines int) {
	var last string
	switch {
	case r.Broken, r.Lines != nil:
		return
	case r.Error != "":
		last = encode(map[string]string{"error": r.Error})
	default:
		last = lastLine(model, cmp.Or(r.Finish, "stop"), r.Prompt, cmp.Or(r.Output, lines))
	}
	if !r.NoNewline {
		last += "\n"
	}
	io.WriteString(s.w, last)
}

func (s *stream) flush() { s.w.(http.Flusher).Flush() }

// wait waits for c and says whether the client is still there.
func wait[T any](s *stream, c <-chan T) bool {
	select {
	case <-c:
		return true
	case <-s.done:
	}
	select {
	case s.left <- struct{}{}:
	default: // nobody asks
	}
	return false
}
