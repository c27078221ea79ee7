package loop

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A policy says how often and with which pauses a kind of failure is tried
// again.
type policy struct {
	tries    int // in all
	pause    time.Duration
	most     time.Duration
	doubling float64
	jitter   float64
}

// policies are for failures that may pass. Whoever started the server late gets
// three tries within three seconds; a busy server, or one that loads a model,
// gets up to about a minute.
var policies = map[ErrorKind]policy{
	Unreachable: {tries: 3, pause: 700 * time.Millisecond, most: 2 * time.Second, doubling: 2, jitter: 0.2},
	Busy:        {tries: 8, pause: 500 * time.Millisecond, most: 10 * time.Second, doubling: 2, jitter: 0.5},
	Broken:      {tries: 3, pause: 300 * time.Millisecond, most: 2 * time.Second, doubling: 2, jitter: 0.5},
}

// maxRetryAfter is the longest pause a server may ask for.
const maxRetryAfter = time.Minute

// classify gives every error of a model its kind.
func classify(err error) *ModelError {
	var e *ModelError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, ErrNoTerminal), errors.Is(err, io.ErrUnexpectedEOF):
		return &ModelError{Kind: Broken, Err: err}
	}
	return &ModelError{Kind: Fatal, Err: err}
}

// retries counts the failures of one request.
type retries struct {
	failed int
	pauses map[ErrorKind]*backoff.ExponentialBackOff
}

// next says how long to wait before the next try, or that there is none.
func (r *retries) next(e *ModelError) (pause time.Duration, again bool) {
	p := policies[e.Kind]
	r.failed++
	if r.failed >= p.tries {
		return 0, false
	}
	b := r.pauses[e.Kind]
	if b == nil {
		b = p.backoff()
		if r.pauses == nil {
			r.pauses = make(map[ErrorKind]*backoff.ExponentialBackOff)
		}
		r.pauses[e.Kind] = b
	}
	if e.RetryAfter > 0 {
		return min(e.RetryAfter, maxRetryAfter), true
	}
	return b.NextBackOff(), true
}

func (p policy) backoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = p.pause, p.most
	b.Multiplier, b.RandomizationFactor = p.doubling, p.jitter
	b.Reset()
	return b
}

// sleep waits, or returns early with the error of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
