package session

import (
	"io"
	"slices"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
)

// What the model is told of a call whose result was lost.
const (
	lostText    = "The run was cut off while this call was running. It may or may not have taken effect: check before you call it again."
	skippedText = "The run was cut off before this call was started. It has not run."
)

// Read reads a log back into the conversation it records: any prefix of one,
// cut at any byte. Every call has exactly one result; one that the log does not
// have is made up and says so. torn is the number of bytes behind the last
// newline: a line that was not written whole, and is not part of the
// conversation. Other junk is passed over.
//
// An error is one of r, or [ErrVersion]; the conversation is what came before.
func Read(r io.Reader) (t *loop.Transcript, torn int, err error) {
	rd := newReader(r)
	err = rd.all()
	return &rd.t, int(rd.lines.torn), err
}

// A reader folds the events of a log into a conversation.
type reader struct {
	lines   *lineScanner
	decoder decoder
	t       loop.Transcript
	seq     int         // of the last line
	open    []loop.Call // of the last reply, without a result so far
	started map[string]bool
}

func newReader(r io.Reader) *reader {
	return &reader{lines: newLineScanner(r), started: make(map[string]bool)}
}

func (r *reader) all() error {
	for r.lines.next() {
		r.seq = r.lines.line.Seq
		for _, ev := range r.decoder.decode(r.lines.line) {
			r.apply(ev)
		}
	}
	r.settle()
	return r.lines.err
}

func (r *reader) apply(ev loop.Event) {
	switch ev := ev.(type) {
	case loop.RunStarted, loop.UserMessage, loop.Compacted:
		r.settle()
	case loop.Replied:
		r.settle()
		if !ev.Aborted {
			r.open = append(r.open, ev.Calls...)
		}
	case loop.ToolStarted:
		r.started[ev.Call.ID] = true
	case loop.ToolEnded:
		if !r.close(ev.Call.ID) {
			return // a second result, or one of no call
		}
	}
	r.t.Apply(ev)
}

// close takes a call from the open ones.
func (r *reader) close(id string) bool {
	for i, c := range r.open {
		if c.ID == id {
			r.open = slices.Delete(r.open, i, i+1)
			return true
		}
	}
	return false
}

// settle gives each open call a result: the process that ran it has gone.
func (r *reader) settle() {
	for _, c := range r.open {
		res := tools.Result{ID: c.ID, Name: c.Name, Status: tools.Skipped, Text: skippedText}
		if r.started[c.ID] {
			res.Status, res.Text = tools.Aborted, lostText
		}
		r.t.Apply(loop.ToolEnded{Call: c, Result: res})
	}
	r.open = nil
	clear(r.started)
}
