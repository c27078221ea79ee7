//go:build unix

package safejson

import (
	"syscall"
	"time"
)

// cpuTime is the time this process has had on a processor: what others do on
// the machine is not in it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
