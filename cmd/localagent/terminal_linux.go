package main

import "golang.org/x/sys/unix"

// dropTyped throws away what was typed on a terminal and not read yet, also the
// beginning of a line.
func dropTyped(fd uintptr) error {
	return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH)
}
