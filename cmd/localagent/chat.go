package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
	"golang.org/x/term"
)

func chatCommand() *command {
	return &command{
		name:    "chat",
		args:    "[flags] [PROMPT…]",
		summary: "talk with a model that has tools; bare localagent does the same",
		about: "Asks for one prompt after the other. Ctrl-C stops a turn, twice leaves; Ctrl-D leaves. " +
			"Alt-Enter, a backslash at the end of a line, or \"\"\" around the text make a prompt of several lines. " +
			"/help lists what else can be typed.",
		examples: []example{
			{`localagent -m gemma3:4b`, "talk about this folder"},
			{`localagent chat -c -T default,edit_file`, "go on where the last session ended, with a tool more"},
		},
		groups:     []group{promptGroup, modelGroup, toolGroup, limitGroup, outputGroup, sessionGroup},
		run:        runChat,
		configured: true,
		graceful:   true,
	}
}

func runChat(ctx context.Context, e *env, o *options, args []string) error {
	var first loop.Prompt
	var err error
	if len(args) > 0 || len(o.files) > 0 {
		if first, err = e.firstPrompt(ctx, args, o.files); err != nil {
			return err
		}
	}
	return e.chat(ctx, o, first)
}

// firstPrompt is the prompt of the arguments. Stdin is left to the chat.
func (e *env) firstPrompt(ctx context.Context, args, files []string) (loop.Prompt, error) {
	instruction, at, err := instructionOf(args)
	if err == nil && at >= 0 {
		err = usageErrorf(`chat reads its prompts from stdin: "-" has no place in them`)
	}
	p := loop.Prompt{Text: instruction}
	if err != nil {
		return p, err
	}
	p.Attachments, err = e.readFiles(ctx, files)
	return p, err
}

// A chat is one conversation after the other on a job.
type chat struct {
	*job
	in lineReader

	last  loop.Replied // the last reply, for /last
	armed bool         // Ctrl-C was the last key, and a second one leaves
	code  int          // status of the last turn

	mu      sync.Mutex
	stop    func(cause error)       // stops the turn, once; nil: there is none, or it was stopped
	playing bool                    // a turn is running
	pressed bool                    // Ctrl-C came as a signal, between two lines
	reading context.CancelCauseFunc // stops the reading of a line
}

// chat talks until the user leaves.
func (e *env) chat(ctx context.Context, o *options, first loop.Prompt) error {
	if o.format != formatText {
		return e.failed(o, usageErrorf("a chat prints text; for JSON use `localagent run` without -i"))
	}
	j, err := e.newJob(ctx, o)
	if err != nil {
		return err
	}
	defer j.close()
	c := &chat{job: j, in: e.lineReader()}
	j.watch = append(j.watch, c)
	release := e.onInterrupt(c.interrupt)
	defer release()
	c.greet()
	if first.Text != "" {
		c.shows(first.Text)
		c.turn(ctx, first)
	}
	for ctx.Err() == nil && e.out.err == nil {
		leave, err := c.next(ctx)
		switch {
		case err != nil:
			return err
		case leave:
			return c.left()
		}
	}
	return context.Cause(ctx)
}

// left is what a chat ends with that was left. A script, unlike a person, has seen
// nothing of the last turn but its status.
func (c *chat) left() error {
	if c.code == exitOK || isTerminal(c.e.stdin) {
		return nil
	}
	return exit(c.code)
}

// next reads a line and does what it asks for.
func (c *chat) next(ctx context.Context) (leave bool, err error) {
	line, err := c.readLine(ctx)
	switch {
	case errors.Is(err, errInterrupted):
		if c.armed && line == "" {
			return true, nil
		}
		if c.armed = line == ""; c.armed {
			c.e.note("Ctrl-C again or Ctrl-D leaves")
		}
		return false, nil
	case err == io.EOF:
		return true, nil
	case err != nil:
		return false, err
	}
	c.armed = false
	leave, err = c.handle(ctx, line)
	return leave || c.say.left(), err
}

const promptMark = "› "

// readLine asks for a line. On a terminal Ctrl-C is a key meanwhile; between two
// lines, until the terminal is raw again, it is a signal, and means the same.
func (c *chat) readLine(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if c.reads(cancel) {
		return "", errInterrupted
	}
	line, err := c.in.readLine(ctx, promptMark)
	if c.reads(nil) && err != nil {
		return "", errInterrupted
	}
	return line, err
}

// reads says how a signal stops the reading of a line, nil: none is read. It
// reports whether one came since the last time.
func (c *chat) reads(stop context.CancelCauseFunc) (pressed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pressed, c.pressed, c.reading = c.pressed, false, stop
	return pressed
}

// shows puts a prompt that was not typed here where a typed one would stand.
func (c *chat) shows(prompt string) {
	if c.e.out.tty {
		c.e.out.put(span{styleBold, promptMark}, prompt, "\n")
	}
}

// interrupt takes a Ctrl-C that came as a signal: the first one stops the turn,
// the next one is not taken and ends the program.
func (c *chat) interrupt(cause error) (caught bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stop != nil:
		c.stop(cause)
		c.stop = nil
	case c.pressed || c.playing:
		return false
	default:
		c.pressed = true
		if c.reading != nil {
			c.reading(errInterrupted)
		}
	}
	return true
}

// lineReader edits lines on a terminal, and reads them elsewhere.
func (e *env) lineReader() lineReader {
	f, ok := e.stdin.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) && e.out.canMove() {
		return &termReader{in: f, s: e.out, words: chatWords(),
			history: openHistory(e.statePath("history.jsonl"))}
	}
	r := &plainReader{r: bufio.NewReader(e.stdin)}
	if isTerminal(e.stdin) && e.err.tty {
		r.s = e.err
	}
	return r
}

// greet says with what one talks.
func (c *chat) greet() {
	if c.o.quiet {
		return
	}
	text := c.header.Model
	if n := len(c.agent.Tools.All()); n > 0 {
		text += " with " + plural(n, "tool")
	}
	if n := len(c.talk.Entries); n > 0 {
		text += fmt.Sprintf("; going on after %s", plural(n, "message"))
	}
	c.e.note(text + "; /help lists what can be typed, Ctrl-D leaves")
	if c.trouble != nil {
		c.e.err.note(styleError, plainText(c.trouble))
	}
}

// handle does what a line asks for.
func (c *chat) handle(ctx context.Context, line string) (leave bool, err error) {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return false, nil
	case strings.HasPrefix(text, "/"):
		return c.word(ctx, text)
	}
	c.turn(ctx, loop.Prompt{Text: unquoteLines(text)})
	return false, nil
}

// unquoteLines takes """ from both ends.
func unquoteLines(s string) string {
	const mark = `"""`
	if inner, ok := strings.CutPrefix(s, mark); ok {
		if inner, ok = strings.CutSuffix(inner, mark); ok {
			return strings.Trim(inner, "\n")
		}
	}
	return s
}

// event keeps what /last shows.
func (c *chat) event(ev loop.Event) {
	if r, ok := ev.(loop.Replied); ok {
		c.last = r
	}
}

// turn asks the model and shows what happens. Ctrl-C stops the turn, not the
// chat.
func (c *chat) turn(ctx context.Context, p loop.Prompt) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.stop, c.playing = cancel, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.stop, c.playing = nil, false
		c.mu.Unlock()
	}()
	began := time.Now()
	end, code := c.play(ctx, p)
	c.code = code
	if !c.o.quiet {
		c.e.err.put(span{styleDim, c.e.err.fold(turnSummary(end.State, time.Since(began)), 0, "  ")}, "\n\n")
	}
}

// turnSummary is the line below a turn.
func turnSummary(s loop.State, took time.Duration) string {
	words := []string{plural(s.Step, "step")}
	if s.Calls > 0 {
		words = append(words, plural(s.Calls, "call"))
	}
	if s.Retries > 0 {
		words = append(words, pluralOf(s.Retries, "retry", "retries"))
	}
	if s.Window > 0 {
		words = append(words, thousands(s.Tokens)+" of "+thousands(s.Window)+" tokens")
	}
	return strings.Join(append(words, shortTime(took)), " · ")
}

// A turn is what stands in the conversation from a task on.
type turn struct {
	at        int    // of its task
	title     string // of its task
	compacted bool   // a summary of the turns before it and of its beginning follows
}

func (c *chat) lastTurn() (t turn, ok bool) {
	for i, e := range slices.Backward(c.talk.Entries) {
		if e.Role == loop.User && (e.Kind == loop.KindTask || e.Kind == "") {
			next := c.talk.Entries[i+1:]
			return turn{i, session.Title(e.Text), len(next) > 0 && next[0].Kind == loop.KindSummary}, true
		}
	}
	return turn{}, false
}

// shorten keeps the first n entries of the conversation, in the log too.
func (c *chat) shorten(n int) {
	before := len(c.talk.Entries)
	c.forget()
	c.talk.Entries = c.talk.Entries[:n:n]
	if c.log == nil || before == n {
		return
	}
	if err := c.log.Write(loop.Compacted{Tier: "undo", Entries: append([]loop.Entry{}, c.talk.Entries...)}); err != nil {
		c.e.note(plainText(err))
	}
}

// forget drops what is known of a turn that is no more: what it counted, and how
// it ended.
func (c *chat) forget() {
	c.agent.Monitor = &loop.Monitor{}
	c.code = exitOK
}

// clear begins a new conversation, in a log of its own.
func (c *chat) clear() error {
	c.talk = &loop.Transcript{}
	c.forget()
	c.last = loop.Replied{}
	if c.log == nil {
		return nil
	}
	c.log.Close()
	c.log = nil
	err := c.createLog(c.e.sessionDir())
	c.setHeader(c.header)
	return err
}
