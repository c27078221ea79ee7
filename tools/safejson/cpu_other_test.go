//go:build !unix

package safejson

import "time"

var start = time.Now()

// cpuTime is the time since the start: the best there is everywhere.
func cpuTime() time.Duration { return time.Since(start) }
