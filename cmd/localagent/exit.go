package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
)

// The exit statuses. They are part of the command's contract: docs/exit-codes.md
// says the same, and a test compares the two.
const (
	exitOK       = 0   // an answer (a cut one too: stderr says so), or the command did its work
	exitInternal = 1   // I/O, a hook, the session log, a tool that `tools call` ran and that failed
	exitUsage    = 2   // wrong flags, config or command; an empty prompt
	exitLimit    = 3   // steps, tokens or the loop guard, before there was an answer
	exitDenied   = 4   // a person said no, or a call needed approval and nobody could be asked
	exitUnusable = 5   // no usable reply: unparseable, empty, repetition, or the context does not fit
	exitBackend  = 6   // no server, no such model, the server failed
	exitTimeout  = 124 // --timeout
	exitSignal   = 128 // + the signal: 130 for Ctrl-C, 143 for TERM
	exitPipe     = exitSignal + int(syscall.SIGPIPE)
)

// A statusError is an error that knows its exit status.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

func usageErrorf(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Errorf(format, args...)}
}

// A signalError is why a context was cancelled.
type signalError struct{ sig syscall.Signal }

func (e *signalError) Error() string { return e.sig.String() }

// An outputError is that stdout could not be written.
type outputError struct{ err error }

func (e *outputError) Error() string {
	var file *fs.PathError
	if errors.As(e.err, &file) {
		return "cannot write to stdout: " + file.Err.Error()
	}
	return "cannot write to stdout: " + e.err.Error()
}
func (e *outputError) Unwrap() error { return e.err }

var errTimeout = errors.New("the time given with --timeout is up")

// plainText is the text of an error for people: without the names of the packages
// that it begins with.
func plainText(err error) string {
	text := err.Error()
	for {
		name, rest, ok := strings.Cut(text, ": ")
		if !ok || !slices.Contains(packageNames, name) {
			return text
		}
		text = rest
	}
}

// packageNames are what errors of this module begin with.
var packageNames = []string{"command", "loop", "model", "ollama", "permission", "replay", "session"}

// codeOf is the exit status of an error.
func codeOf(err error) int {
	var status *statusError
	var sig *signalError
	var code exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &sig):
		return exitSignal + int(sig.sig)
	case errors.Is(err, errTimeout):
		return exitTimeout
	case isBrokenPipe(err):
		return exitPipe
	case errors.As(err, &status):
		return status.code
	}
	return exitInternal
}

// exitOf is the exit status of a run. A run that was aborted does not know by
// whom; the cause of its context does.
func exitOf(ctx context.Context, r *loop.Result) int {
	switch r.Stop {
	case loop.StopAbortedModel, loop.StopAbortedTools, loop.StopTimeout:
		if cause := context.Cause(ctx); cause != nil {
			return codeOf(cause)
		}
	}
	return session.ExitCode(r)
}

// An exit ends the program with a status of which all has been said.
type exit int

func (e exit) Error() string { return "exit status " + strconv.Itoa(int(e)) }
