//go:build unix

package parse_test

import (
	"syscall"
	"time"
)

// clock is the processor time that this process has used: other processes do
// not change it.
func clock() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
