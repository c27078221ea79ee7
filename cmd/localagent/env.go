package main

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"
)

// An env is what a command may touch of the world outside.
type env struct {
	stdin  io.Reader
	out    *screen // the answer, and nothing else
	err    *screen // everything else
	getenv func(string) string
	kill   chan struct{} // closed when the user will not wait for tools to end

	patience time.Duration // with a server

	mu    sync.Mutex
	catch func(cause error) bool // takes an interrupt, or says that it did not
}

func newEnv(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *env {
	e := &env{
		stdin:  stdin,
		out:    newScreen(stdout, getenv),
		err:    newScreen(stderr, getenv),
		getenv: getenv,
		kill:   make(chan struct{}),

		patience: patience,
	}
	if e.out.tty && e.err.tty {
		e.err.beside = e.out // a note never stands behind half a line of the answer
	}
	return e
}

// note writes one line for the user: "localagent: …".
func (e *env) note(text string) { e.err.note(styleDim, text) }

// lost is why stdout does not have all that was written, nil if it has.
func (e *env) lost() error {
	if e.out.err == nil {
		return nil
	}
	return &outputError{e.out.err}
}

// fail writes the one line of a failure and returns its status. An interrupt
// needs no words, and after a closed pipe nobody reads them.
func (e *env) fail(err error) int {
	code := codeOf(err)
	var said exit
	if code >= exitSignal || errors.As(err, &said) {
		return code
	}
	e.err.note(styleError, plainText(err))
	return code
}

// onInterrupt lets f take interrupts until release is called. While f returns
// true they end nothing else.
func (e *env) onInterrupt(f func(cause error) bool) (release func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.catch = f
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.catch = nil
	}
}

// caught says whether somebody took the interrupt.
func (e *env) caught(cause error) bool {
	e.mu.Lock()
	f := e.catch
	e.mu.Unlock()
	return f != nil && f(cause)
}

// interactive says whether a person sits at both ends.
func (e *env) interactive() bool { return isTerminal(e.stdin) && e.out.tty }

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isPiped says whether stdin holds something that was given on purpose: a
// pipe, a socket (what some programs make pipes of) or a file. The null device,
// a closed stdin and a terminal do not, so a run from cron starts at once.
func isPiped(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return stdin != nil
	}
	st, err := f.Stat()
	if err != nil {
		return false
	}
	m := st.Mode()
	return m.IsRegular() || m&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// isBrokenPipe says whether nobody reads what was written any more.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
