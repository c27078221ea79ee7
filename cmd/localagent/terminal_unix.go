//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// suspend stops the program as Ctrl-Z does elsewhere, with the terminal as it
// was, and makes it raw again when it goes on.
func (t *termReader) suspend(cooked *term.State) {
	fd := int(t.in.Fd())
	raw, err := term.GetState(fd)
	if err != nil {
		return
	}
	term.Restore(fd, cooked)
	syscall.Kill(0, syscall.SIGTSTP)
	term.Restore(fd, raw)
}

// onResize says when the terminal gets another size, until stop is called.
func onResize() (resized <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
