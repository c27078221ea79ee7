//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package session

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the log for this process alone until f is closed. It never waits.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrInUse
		case errors.Is(err, errors.ErrUnsupported):
			return nil // a file system without locks: nothing better is to be had
		}
		return err
	}
}
