package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/permission"
)

// An approver decides about the calls of a run: by the policy, and where the
// policy leaves it to a person, by asking one. Questions go to the terminal the
// program was started from, never to stdin, which may be a pipe that holds the
// prompt. They are asked one at a time.
//
//	a := newApprover(policy, dir, e.askTerminal)
//	agent.Permit = a.permit
//	a.left()     // was the answer to a question: quit?
//	a.describe() // for /permissions
type approver struct {
	session *permission.Session
	dir     string // the working folder, for people
	ask     asker
	turn    chan struct{} // holds one token: the right to ask
	gone    atomic.Bool   // the person quit
}

// An asker shows a question and returns the line that answers it. It returns
// errNobody when there is nobody to ask, and when ctx ends its error.
type asker func(ctx context.Context, q question) (string, error)

var errNobody = errors.New("there is no terminal to ask on")

func newApprover(p *permission.Policy, dir string, ask asker) *approver {
	return &approver{session: &permission.Session{Policy: p}, dir: dir, ask: ask, turn: make(chan struct{}, 1)}
}

// permit is the [loop.Agent.Permit] of the approver.
func (a *approver) permit(ctx context.Context, r loop.PermitRequest) loop.Permission {
	d := a.decide(r)
	switch {
	case d.Verdict != permission.Ask:
		return settled(d)
	case r.Early, a.mode() == permission.ModeNever:
		return refused(d)
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return refused(d)
	}
	if a.gone.Load() {
		return loop.Permission{Verdict: loop.Rejected, By: "user"}
	}
	if d = a.decide(r); d.Verdict != permission.Ask { // what was granted meanwhile
		return settled(d)
	}
	return a.answer(ctx, r, d)
}

func (a *approver) decide(r loop.PermitRequest) permission.Decision {
	return a.session.Decide(r.Tool, r.Call.Args, r.Call.Echo)
}

func (a *approver) mode() permission.Mode { return a.session.Policy.Mode }

// left says whether the person asked to quit.
func (a *approver) left() bool { return a.gone.Load() }

// settled is the permission of a decision that needs nobody.
func settled(d permission.Decision) loop.Permission {
	p := loop.Permission{Verdict: loop.Allowed, By: d.By, Reason: d.Why}
	if d.Verdict == permission.Deny {
		p.Verdict = loop.Forbidden
	}
	return p
}

// refused is the permission of a call that nobody could be asked about.
func refused(d permission.Decision) loop.Permission {
	by := "nobody"
	if d.By == "echo" {
		by = d.By
	}
	return loop.Permission{Verdict: loop.Refused, By: by, Reason: d.Why}
}

// cure is what lets a call run that nobody could be asked about.
func cure(d permission.Decision) string {
	if d.By == "mode" || d.By == "default" {
		return "-y runs it, --allow names what may run"
	}
	return "it takes a person at a terminal to say yes"
}

// maxUnclear is how many answers may make no sense before nobody is taken to be
// there.
const maxUnclear = 5

// answer asks until there is an answer.
func (a *approver) answer(ctx context.Context, r loop.PermitRequest, d permission.Decision) loop.Permission {
	q := a.question(ctx, r, d)
	for range maxUnclear {
		line, err := a.ask(ctx, q)
		if err != nil {
			return refused(d)
		}
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case word == "y" || word == "yes":
			return loop.Permission{Verdict: loop.Allowed, By: "user"}
		case len(q.offer) > 0 && (word == "a" || word == "always"):
			a.session.Grant(q.offer...)
			return loop.Permission{Verdict: loop.Allowed, By: "user"}
		case word == "n" || word == "no":
			return loop.Permission{Verdict: loop.Rejected, By: "user"}
		case word == "q" || word == "quit":
			a.gone.Store(true)
			return loop.Permission{Verdict: loop.Rejected, By: "user"}
		case q.cut && (word == "v" || word == "view"):
			q.cut, q.again = false, false
		default:
			q.again = true
		}
	}
	return refused(d)
}

// describe says what may run without asking, and what was granted.
func (a *approver) describe() string {
	var b strings.Builder
	p := a.session.Policy
	mode := cmp.Or(p.Mode, permission.ModeAsk)
	fmt.Fprintf(&b, "approve: %s (%s)\n", mode, modeTexts[mode])
	for _, c := range []tools.Class{tools.Read, tools.Write, tools.Exec} {
		if v, ok := p.Default[c]; ok {
			fmt.Fprintf(&b, "%s, where no rule speaks: %s\n", c, v)
		}
	}
	for _, r := range p.Rules {
		fmt.Fprintf(&b, "  %s  (%s)\n", r.String(), cmp.Or(r.Source, "built-in"))
	}
	granted := a.session.Granted()
	if len(granted) > 0 {
		b.WriteString("granted for this session; to keep one, add it to rules in [permission] of the config:\n")
	}
	for _, r := range granted {
		fmt.Fprintf(&b, "  %q\n", r.String())
	}
	return b.String()
}

var modeTexts = map[permission.Mode]string{
	permission.ModeAsk:   "reads run, the rest is asked for",
	permission.ModeNever: "reads run, the rest is refused without asking",
	permission.ModeEdits: "reads and changes of files run, the rest is asked for",
	permission.ModeAll:   "everything runs, but for calls copied from text that was read",
}

// A question is what a person is asked.
type question struct {
	tool  string
	class tools.Class
	dir   string
	body  string // the command, the diff, or the arguments
	diff  bool
	why   string
	offer []permission.Rule // what "always" would grant
	cut   bool              // the body may be shown cut
	again bool              // the last answer made no sense
}

func (a *approver) question(ctx context.Context, r loop.PermitRequest, d permission.Decision) question {
	q := question{tool: r.Call.Name, class: r.Tool.Class, dir: a.dir, why: d.Why}
	q.body, q.diff = body(ctx, r)
	_, q.cut = excerpt(visible(q.body))
	if d.By != "echo" {
		q.offer = a.session.Offer(r.Tool, r.Call.Args)
	}
	return q
}

// body is what the call would do: its command, what its preview says, or its
// arguments.
func body(ctx context.Context, r loop.PermitRequest) (text string, diff bool) {
	var args struct{ Command any }
	if r.Tool.Class == tools.Exec && json.Unmarshal(r.Call.Args, &args) == nil {
		if command, ok := args.Command.(string); ok {
			return command, false
		}
	}
	var raw bytes.Buffer
	if json.Indent(&raw, r.Call.Args, "", "  ") != nil {
		raw.Write(r.Call.Args)
	}
	if r.Tool.Preview == nil {
		return raw.String(), false
	}
	text, err := r.Tool.Preview(ctx, tools.Call{ID: r.Call.ID, Name: r.Tool.Name, Args: r.Call.Args})
	if err != nil {
		return fmt.Sprintf("%s\n(no preview: %v)", raw.String(), err), false
	}
	return text, r.Tool.Class == tools.Write
}

var classTexts = map[tools.Class]string{
	tools.Read:  "wants to read",
	tools.Write: "wants to change files",
	tools.Exec:  "wants to run a command",
}

// show writes the question on a screen, which makes its text harmless.
func (q question) show(s *screen) {
	answers := "[y]es once  "
	if len(q.offer) > 0 {
		answers += "[a]lways this session  "
	}
	answers += "[n]o  [q]uit"
	if q.cut {
		answers += "  [v]iew all"
	}
	if q.again {
		s.put("Please answer with one of the letters in brackets.\n", answers, " > ")
		return
	}
	s.put("\n", span{styleName, q.tool}, s.fold(" "+classTexts[q.class]+" in "+visible(q.dir), textWidth(q.tool), "  "), "\n")
	text := visible(q.body)
	if q.cut {
		text, _ = excerpt(text)
	}
	for line := range strings.Lines(text) {
		q.line(s, strings.TrimSuffix(line, "\n"))
	}
	s.put(span{styleDim, because}, s.fold(oneLine(visible(q.why), maxWhy), len(because), "  "), "\n")
	for i, r := range q.offer {
		name := "always means:  "
		if i > 0 {
			name = "               "
		}
		s.put(span{styleDim, name}, s.fold(granting(r), len(name), "  "), "\n")
	}
	s.put(s.fold(answers, 0, "  "), " > ")
}

const because = "asked because: "

// maxWhy is the most that a reason or a rule takes up, in columns.
const maxWhy = 400

// granting is a rule that is offered, on one line.
func granting(r permission.Rule) string {
	if r.Exact {
		return "exactly this command line"
	}
	return oneLine(visible(r.String()), maxWhy)
}

// line shows a line of the body. None of it may look like a line of the question
// itself, so a terminal is not left to break what is too long for it.
func (q question) line(s *screen, text string) {
	const indent, further = "    ", "  ↪ "
	look := styleBold
	switch {
	case q.diff && strings.HasPrefix(text, "+"):
		look = styleGood
	case q.diff && strings.HasPrefix(text, "-"):
		look = styleError
	case q.diff:
		look = stylePlain
	}
	lead := span{stylePlain, indent}
	for _, row := range s.rows(clean(text), len(indent)) {
		s.put(lead, span{look, row}, "\n")
		lead = span{styleDim, further}
	}
}

// visible shows what a terminal would show as nothing: characters that only
// join, hide or turn others. Control characters are the screen's care.
func visible(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r != ' ' && unicode.Is(unicode.Zs, r)
}

// What is shown of a long body: lines from its head and its tail.
const (
	maxShownLines = 60
	headLines     = 40
	maxShownBytes = 8 << 10
)

// excerpt leaves out the middle of a long text, and says so.
func excerpt(text string) (string, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) > maxShownLines {
		tail := maxShownLines - headLines - 1
		note := fmt.Sprintf("… %d lines are not shown here …", len(lines)-headLines-tail)
		text = strings.Join(lines[:headLines], "\n") + "\n" + note + "\n" + strings.Join(lines[len(lines)-tail:], "\n")
	}
	cut := len(lines) > maxShownLines
	if len(text) > maxShownBytes {
		head, tail := maxShownBytes*3/4, len(text)-maxShownBytes/4
		for n := 0; n < utf8.UTFMax && !utf8.RuneStart(text[head]); n++ { // a file need not be text
			head--
		}
		for n := 0; n < utf8.UTFMax && !utf8.RuneStart(text[tail]); n++ {
			tail++
		}
		text = fmt.Sprintf("%s\n… %d bytes are not shown here …\n%s", text[:head], tail-head, text[tail:])
		cut = true
	}
	return text, cut
}

// askTerminal asks on the terminal that the program was started from, also when
// its stdin, stdout and stderr are something else.
func (e *env) askTerminal(ctx context.Context, q question) (string, error) {
	name, out := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		name, out = "CONIN$", "CONOUT$"
	}
	// Opened twice: the reading of a file whose descriptor was asked for, as the
	// screen does, can no longer be given up.
	in, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return "", errNobody
	}
	defer in.Close()
	w, err := os.OpenFile(out, os.O_RDWR, 0)
	if err != nil {
		return "", errNobody
	}
	defer w.Close()
	return askOn(ctx, in, newScreen(w, e.getenv), q)
}

// askOn asks on an open terminal. What was typed before the question was seen is
// no answer to it.
func askOn(ctx context.Context, in *os.File, s *screen, q question) (string, error) {
	conn, err := in.SyscallConn()
	if err != nil {
		return "", err
	}
	_ = conn.Control(func(fd uintptr) { _ = dropTyped(fd) }) // what cannot be dropped is read
	q.show(s)
	line, err := readAnswer(ctx, in)
	if err != nil {
		s.put("\n")
	}
	if err == errNobody { // Ctrl-D leaves here as everywhere
		return "quit", nil
	}
	return line, err
}

// maxAnswer is the longest answer, in bytes; what is longer is none.
const maxAnswer = 1024

// readAnswer reads a line. When ctx ends first, the reading is given up, and it
// has ended before readAnswer does; where that is not possible, the next line
// that is typed still goes to it.
func readAnswer(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := readLineOf(in)
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		return r.line, r.err
	case <-ctx.Done():
		f, ok := in.(interface{ SetReadDeadline(time.Time) error })
		if ok && f.SetReadDeadline(time.Unix(1, 0)) == nil {
			<-done // a limit that is taken back too early ends nothing
			_ = f.SetReadDeadline(time.Time{})
		}
		return "", ctx.Err()
	}
}

// readLineOf reads up to a line feed and not a byte more, for others read there
// too.
func readLineOf(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := in.Read(b)
		switch {
		case n > 0 && b[0] == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case n > 0 && len(line) < maxAnswer:
			line = append(line, b[0])
		case err == io.EOF:
			return "", errNobody
		case err != nil:
			return "", err
		}
	}
}
