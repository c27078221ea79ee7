package main

import (
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
	"github.com/localagent/localagent/parse"
)

// A view shows the events of a run.
type view interface{ event(loop.Event) }

// A textOutput writes the answer to stdout: on a terminal as it comes, with its
// Markdown shown where there is colour, else when the run has ended and as it
// is.
type textOutput struct {
	s      *screen
	stream bool
	md     *markdown // nil: no line is begun

	shown strings.Builder // what may become the answer, as far as the terminal has it
	blank string          // white space that is shown only if text follows
}

func newTextOutput(s *screen, stream bool) *textOutput {
	return &textOutput{s: s, stream: stream}
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
		t.write(ev.Text)
	case loop.Replied:
		if ev.Finish == parse.FinishLength && ev.Reading.Outcome == parse.Final {
			break // the rest of the answer may still come
		}
		t.endLine()
		if ev.Reading.Outcome != parse.Final {
			t.shown.Reset()
		}
	case loop.Retracted, loop.FreshRetry, loop.ModelRetry:
		t.endLine()
		t.shown.Reset()
	}
}

// write shows a piece of text. White space at its edges is left out.
func (t *textOutput) write(text string) {
	text = t.blank + text
	if t.shown.Len() == 0 {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	rest := strings.TrimRight(text, " \t\r\n")
	text, t.blank = rest, text[len(rest):]
	if text == "" {
		return
	}
	t.shown.WriteString(text)
	if !t.s.color {
		t.s.Write([]byte(text))
		return
	}
	if t.md == nil {
		t.md = newMarkdown(t.s)
	}
	t.md.write(text)
}

// endLine shows what is held back and ends the line; what follows is something
// else.
func (t *textOutput) endLine() {
	if t.md != nil {
		t.md.close()
		t.md = nil
	}
	if t.s.midLine {
		t.s.raw("\n")
	}
	t.blank = ""
}

func (t *textOutput) ended(r *loop.Result) {
	t.endLine()
	seen := strings.TrimSpace(t.shown.String())
	t.shown.Reset()
	switch {
	case r.Stop != loop.StopFinal || seen != "" && seen == strings.TrimSpace(r.Answer):
	case t.s.tty && t.s.color:
		t.write(r.Answer)
		t.endLine()
	default:
		t.s.put(strings.TrimRight(r.Answer, "\n"), "\n")
	}
	t.shown.Reset()
}

// A jsonOutput writes the events as JSON lines, or of all of them the result.
type jsonOutput struct {
	enc *session.Encoder
	s   *screen
}

// newJSONOutput writes the lines of package session to s, or the result line
// only. exit is the status that the result line names.
func newJSONOutput(s *screen, h session.Header, only bool, exit func(*loop.Result) int) *jsonOutput {
	j := &jsonOutput{enc: &session.Encoder{W: jsonWriter{s}, Header: h, Exit: exit}, s: s}
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
