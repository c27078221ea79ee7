package main

import (
	"os"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

// dropTyped throws away what was typed on a console and not read yet.
func dropTyped(fd uintptr) error {
	return windows.FlushConsoleInputBuffer(windows.Handle(fd))
}

// suspend does nothing: there is no stopping of programs here.
func (t *termReader) suspend(*term.State) {}

// onResize says nothing: what stands on the screen is drawn anew with the next
// key.
func onResize() (resized <-chan os.Signal, stop func()) { return nil, func() {} }
