package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the log for this process alone until f is closed. It never waits.
// Locks on Windows are mandatory, so the locked byte lies where no log reaches:
// others may still read.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}
