package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/localagent/localagent/loop"
)

// Header is what a program knows of a run and package loop does not. It
// becomes part of the init line. Every field may be empty.
type Header struct {
	Session string // id of the log
	Version string // of the program
	Model   string
	Digest  string // of the model
	Host    string // of its server
	Dialect string // calls are asked for in
	NumCtx  int    // tokens that are asked for; 0: the window of the run
	CWD     string // root of the file tools
	Approve string // what happens to calls that no rule names
}

// An Encoder writes events as JSON lines; see the package comment for them. W
// is required. It is not safe for concurrent use: package loop hands out events
// one at a time.
//
// After an error nothing more is written, and the error stays.
type Encoder struct {
	W      io.Writer
	Now    func() time.Time // nil: time.Now
	Header Header           // read when a run starts and when it ends

	// Exit is the exit status of a run; nil: [ExitCode]. It becomes exit_code,
	// and status says the same in a word.
	Exit func(*loop.Result) int

	// Keep says which types of lines are written; nil: all. What is left out
	// takes no seq.
	Keep func(typ string) bool

	seq   int // of the last line written
	step  int // of this run
	total int // steps of all runs
	start time.Time
	warns []string        // codes of the warnings of this run, each once
	used  map[string]bool // ids of this step that have their tool_use line
	err   error

	buf   bytes.Buffer // the lines of one event
	lines int          // in buf
	limit int          // bytes of a line; 0: none
}

// Encode writes the lines of one event in a single Write. Events that have no
// line (such as loading) write nothing.
func (e *Encoder) Encode(ev loop.Event) error {
	_, err := e.encode(ev)
	return err
}

// encode is Encode; n is how many bytes the event took.
func (e *Encoder) encode(ev loop.Event) (n int, err error) {
	if e.err != nil {
		return 0, e.err
	}
	e.buf.Reset()
	e.lines = 0
	if e.err = e.event(ev); e.err != nil || e.lines == 0 {
		return 0, e.err
	}
	n, e.err = e.W.Write(e.buf.Bytes())
	if e.err == nil && n < e.buf.Len() {
		e.err = io.ErrShortWrite
	}
	e.seq += e.lines
	if e.buf.Cap() > 64<<10 { // a rare long event, such as a compaction: give the memory back
		e.buf = bytes.Buffer{}
	}
	return n, e.err
}

// event puts the lines of an event into the buffer.
func (e *Encoder) event(ev loop.Event) error {
	switch ev := ev.(type) {
	case loop.RunStarted:
		e.start, e.step, e.warns = e.now(), 0, nil
		return e.line(typeInit, newInitLine(e.Header, ev))
	case loop.UserMessage:
		return e.line(typeMessage, &messageLine{Role: loop.User, Kind: ev.Kind, content: newContent(ev.Text)})
	case loop.StepStarted:
		e.step = ev.Step
		e.total++
		clear(e.used)
	case loop.TextDelta:
		return e.line(typeText, &deltaLine{Delta: ev.Text})
	case loop.ThinkingDelta:
		return e.line(typeThinking, &deltaLine{Delta: ev.Text})
	case loop.Retracted:
		return e.line(typeRetract, &bareLine{})
	case loop.Replied:
		return e.replied(ev)
	case loop.ToolStarted:
		return e.toolUse(ev.Call, true)
	case loop.ToolEnded:
		return e.toolEnded(ev)
	case loop.Asked:
		return e.line(typeApproval, &approvalLine{
			ID: ev.Call.ID, Name: ev.Call.Name,
			Decision: verdictNames.of(uint8(ev.Decision.Verdict)), By: ev.Decision.By, Reason: ev.Decision.Reason,
		})
	case loop.FreshRetry:
		clear(e.used)
		return e.line(typeRetry, &retryLine{
			Kind: retryReply, Attempt: ev.Attempt, Schema: ev.Schema, Reason: ev.Problem.Reason,
			Offset: ev.Problem.Offset, Expected: ev.Problem.Expected, Found: ev.Problem.Found,
		})
	case loop.ModelRetry:
		clear(e.used)
		return e.line(typeRetry, newRetryLine(ev.Retry))
	case loop.Compacted:
		return e.line(typeCompact, newCompactLine(ev))
	case loop.Warned:
		if !slices.Contains(e.warns, ev.Code) {
			e.warns = append(e.warns, ev.Code)
		}
		return e.line(typeWarning, &warningLine{Code: ev.Code, Message: ev.Text})
	case loop.StepEnded:
		return e.line(typeStep, &stepLine{stateFields: newStateFields(ev.State), Total: e.total})
	case loop.RunEnded:
		return e.runEnded(ev.Result)
	}
	return nil
}

// line appends one line: l with its head filled in.
func (e *Encoder) line(typ string, l interface{ setHead(head) }) error {
	if e.Keep != nil && !e.Keep(typ) {
		return nil
	}
	l.setHead(head{
		V: Version, Type: typ, Seq: e.seq + e.lines + 1,
		TS: e.now().UTC().Format(timeLayout), Step: e.step,
	})
	start := e.buf.Len()
	enc := json.NewEncoder(&e.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return fmt.Errorf("session: line of type %s: %w", typ, err)
	}
	if n := e.buf.Len() - start; e.limit > 0 && n > e.limit {
		return fmt.Errorf("session: line of type %s has %d bytes, expecting at most %d", typ, n, e.limit)
	}
	e.lines++
	return nil
}

func (e *Encoder) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

func (e *Encoder) replied(ev loop.Replied) error {
	usage := newUsageLine(ev.Usage)
	return errors.Join(
		e.line(typeMessage, &messageLine{
			Role: loop.Assistant, content: newContent(ev.Raw),
			Finish: finishNames.of(uint8(ev.Finish)), Aborted: ev.Aborted, Usage: &usage,
		}),
		e.line(typeParse, newParseLine(ev.Reading, ev.Calls)))
}

// toolUse writes the line of a call, once in a step.
func (e *Encoder) toolUse(c loop.Call, starts bool) error {
	if e.used == nil {
		e.used = make(map[string]bool)
	}
	if e.used[c.ID] {
		return nil
	}
	e.used[c.ID] = true
	return e.line(typeToolUse, &toolUseLine{Call: wireCall(c), Unstarted: !starts})
}

func (e *Encoder) toolEnded(ev loop.ToolEnded) error {
	return errors.Join(
		e.toolUse(ev.Call, false),
		e.line(typeToolResult, &toolResultLine{resultFields: newResultFields(ev.Result)}))
}

func (e *Encoder) runEnded(r *loop.Result) error {
	if r == nil {
		r = &loop.Result{}
	}
	l := e.resultLine(r)
	if r.Err == nil {
		return e.line(typeResult, l)
	}
	l.Error = r.Err.Error()
	return errors.Join(
		e.line(typeError, &errorLine{Code: r.Stop, Message: l.Error, Retryable: retryable(r.Stop)}),
		e.line(typeResult, l))
}

func (e *Encoder) resultLine(r *loop.Result) *resultLine {
	exit := e.Exit
	if exit == nil {
		exit = ExitCode
	}
	l := &resultLine{
		ExitCode: exit(r), Stop: r.Stop, Answer: r.Answer, Cut: r.Cut, Raw: r.Raw, Advice: r.Advice,
		Steps: r.State.Step, Total: e.total, ToolCalls: r.State.Calls, Repairs: r.State.Repairs,
		Refused: r.Refused, Warnings: e.warns, Usage: newUsageLine(r.State.Usage), Session: e.Header.Session,
	}
	l.Status = statusOf(l.ExitCode)
	if !e.start.IsZero() {
		l.DurationMS = e.now().Sub(e.start).Milliseconds()
	}
	return l
}
