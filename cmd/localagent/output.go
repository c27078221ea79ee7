package main

import (
	"bytes"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
)

// A view shows the events of a run.
type view interface{ event(loop.Event) }

// textOutput writes the answer to stdout: on a terminal as it comes, else when
// the run has ended.
type textOutput struct {
	s      *screen
	stream bool

	shown strings.Builder // of the answer, as far as the terminal has it
}

func (t *textOutput) event(ev loop.Event) {
	if end, ok := ev.(loop.RunEnded); ok {
		t.ended(end.Result)
		return
	}
	if !t.stream {
		return
	}
	switch ev := ev.(type) {
	case loop.TextDelta:
		t.s.Write([]byte(ev.Text))
		t.shown.WriteString(ev.Text)
	case loop.Retracted, loop.FreshRetry, loop.ModelRetry, loop.ToolStarted, loop.StepStarted:
		t.breakLine()
	}
}

// breakLine ends what was shown; what follows is something else.
func (t *textOutput) breakLine() {
	if s := t.shown.String(); s != "" && !strings.HasSuffix(s, "\n") {
		t.s.raw("\n")
	}
	t.shown.Reset()
}

func (t *textOutput) ended(r *loop.Result) {
	seen := t.shown.String()
	t.breakLine()
	if r.Stop != loop.StopFinal || strings.TrimSpace(seen) == strings.TrimSpace(r.Answer) {
		return
	}
	t.s.put(strings.TrimRight(r.Answer, "\n"), "\n")
}

// jsonOutput writes the events as JSON lines, or of all of them the result.
type jsonOutput struct {
	enc  *session.Encoder
	s    *screen
	only bool // the result alone
}

// newJSONOutput writes the lines of package session to s. exit is the status
// that the result line names.
func newJSONOutput(s *screen, h session.Header, only bool, exit func(*loop.Result) int) *jsonOutput {
	j := &jsonOutput{s: s, only: only}
	j.enc = &session.Encoder{W: j, Header: h, Exit: exit}
	if only {
		j.enc.Keep = func(typ string) bool { return typ == "result" }
	}
	return j
}

func (j *jsonOutput) event(ev loop.Event) {
	if err := j.enc.Encode(ev); err != nil && j.s.err == nil {
		j.s.err = err
	}
}

// Write passes on one or more whole lines.
func (j *jsonOutput) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		j.s.jsonLine(line)
	}
	return len(p), j.s.err
}
