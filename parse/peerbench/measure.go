package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"
)

// leastSample is how long one sample lasts at least: an operation that is
// shorter is done several times.
const leastSample = 4 * time.Millisecond

// sample returns the time of one call of f.
func sample(f func()) time.Duration {
	for n := 1; ; n *= 2 {
		runtime.GC()
		start := now()
		for range n {
			f()
		}
		if d := now() - start; d >= leastSample || n >= 1<<16 {
			return max(d/time.Duration(n), 1)
		}
	}
}

// turns lets the contestants take turns, one sample each a round, and returns
// the median time of each and the median over the rounds of the ratio of each
// to the last. Only such ratios mean something on a machine that others use.
func turns(rounds int, contestants ...func()) (times []time.Duration, ratios []float64) {
	samples := make([][]time.Duration, len(contestants))
	for range rounds {
		for i, f := range contestants {
			samples[i] = append(samples[i], sample(f))
		}
	}
	last := samples[len(samples)-1]
	for _, s := range samples {
		perRound := make([]float64, rounds)
		for r := range perRound {
			perRound[r] = float64(s[r]) / float64(last[r])
		}
		times = append(times, median(s))
		ratios = append(ratios, median(perRound))
	}
	return times, ratios
}

func median[T time.Duration | float64](s []T) T {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

// exponent fits log time over log size by least squares: 1 is linear.
func exponent(sizes []int, times []time.Duration) float64 {
	var sx, sy, sxx, sxy float64
	for i, size := range sizes {
		x, y := math.Log(float64(size)), math.Log(float64(times[i]))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(sizes))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// allocations returns the number and the bytes of the allocations of one call
// of f.
func allocations(f func()) (n, size uint64) {
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// peakHeap returns how far the live heap grows while f runs. What f allocates in
// all is a bound; only if that is over limit is the heap watched from a second
// thread, with the collector at work nearly all the time.
func peakHeap(limit uint64, f func()) uint64 {
	if _, size := allocations(f); size <= limit {
		return size
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	runtime.GC()
	base := heap()
	done := make(chan struct{})
	peak := make(chan uint64)
	go func() {
		var most uint64
		for {
			select {
			case <-done:
				peak <- most
				return
			default:
				most = max(most, heap())
				time.Sleep(50 * time.Microsecond)
			}
		}
	}()
	f()
	close(done)
	most := <-peak
	return most - min(most, base)
}

// heap is the size of all objects that the collector has not yet freed.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
