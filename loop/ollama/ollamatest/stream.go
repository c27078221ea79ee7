package ollamatest

import (
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
	if !s.wait(r.Wait) || !s.sleep(delay) {
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
		for _, l := range lines {
			if !s.sleep(delay) {
				return
			}
			io.WriteString(s.w, l+"\n")
			s.flush()
		}
	}
	if r.Hang {
		s.wait(make(chan struct{}))
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
		reason, output := r.Finish, r.Output
		if reason == "" {
			reason = "stop"
		}
		if output == 0 {
			output = lines
		}
		last = lastLine(model, reason, r.Prompt, output)
	}
	if !r.NoNewline {
		last += "\n"
	}
	io.WriteString(s.w, last)
}

func (s *stream) flush() { s.w.(http.Flusher).Flush() }

// sleep waits and says whether the client is still there.
func (s *stream) sleep(d time.Duration) bool {
	over := make(chan struct{})
	if d <= 0 {
		close(over)
		return s.wait(over)
	}
	t := time.AfterFunc(d, func() { close(over) })
	defer t.Stop()
	return s.wait(over)
}

// wait waits for a channel to be closed, nil being closed, and says whether
// the client is still there.
func (s *stream) wait(c <-chan struct{}) bool {
	select {
	case <-s.done:
		s.gone()
		return false
	default:
	}
	if c == nil {
		return true
	}
	select {
	case <-s.done:
		s.gone()
		return false
	case <-c:
		return true
	}
}

func (s *stream) gone() {
	select {
	case s.left <- struct{}{}:
	default:
	}
}
