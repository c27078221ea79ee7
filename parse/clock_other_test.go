//go:build !unix

package parse_test

import "time"

var started = time.Now()

func clock() time.Duration { return time.Since(started) }
