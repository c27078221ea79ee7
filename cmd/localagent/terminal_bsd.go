//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// dropTyped throws away what was typed on a terminal and not read yet, also the
// beginning of a line.
func dropTyped(fd uintptr) error {
	const input = 1 // FREAD of <sys/file.h>
	return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, input)
}
