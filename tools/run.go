package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"github.com/localagent/localagent/tools/internal/cut"
	"github.com/localagent/localagent/tools/safejson"
)

const (
	// grace is how long a tool may go on after its context has ended, to kill
	// what it started and to return what it has.
	grace = 5 * time.Second

	// defaultBytes limits results when the call does not.
	defaultBytes = 50 << 10

	// slack is added for a tool that cut its result itself: for the words that
	// say what is left out.
	slack = 1 << 10

	// fullBytes is how much of a value its digest covers.
	fullBytes = 16 << 20

	// noOutput stands for empty text, which a model would take for a mistake
	// of the harness.
	noOutput = "(no output)"
)

// errTimeUp is the cause of a context that a tool's own limit ended.
var errTimeUp = errors.New("the time limit of the tool was reached")

// run runs the tool within its limit. It does not wait for a tool that goes on
// regardless.
func run(ctx context.Context, t *Tool, c Call) Result {
	if err := ctx.Err(); err != nil {
		return finish(c, Result{Status: Skipped, Text: "not started: " + why(ctx)})
	}
	limit := cmp.Or(t.Timeout, c.Timeout)
	ctx, cancel := within(ctx, limit)
	defer cancel()

	done := make(chan Result, 1)
	go func() {
		r := Result{Status: Panicked, Text: "the tool ended without a result"}
		defer func() { done <- finish(c, r) }()
		attempt(ctx, t, c, &r)
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r
	case <-time.After(grace):
		text := fmt.Sprintf("%s, but the tool did not stop; it may still be running", why(ctx))
		return finish(c, Result{Status: interruption(ctx), Text: text})
	}
}

func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%s)", errTimeUp, limit))
}

// interruption is the status of a call whose context ended: a limit ended it,
// or somebody did.
func interruption(ctx context.Context) Status {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimedOut
	}
	return Aborted
}

// why says for the model what ended a context.
func why(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeUp):
		return cause.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time limit was reached"
	}
	return "the run was cancelled"
}

// attempt calls Run and turns what comes of it into a result. It is stored
// through a pointer because a panic, or a goroutine that ends itself, leaves
// nothing to return.
func attempt(ctx context.Context, t *Tool, c Call, r *Result) {
	defer func() {
		if p := recover(); p != nil {
			*r = Result{Status: Panicked, Stack: string(debug.Stack())}
			r.Text = "the tool crashed: " + panicText(p) + "\nThe fault is the tool's. Do not repeat the call unchanged; go on without it if you can."
		}
	}()
	v, err := t.Run(ctx, c)
	*r = outcome(ctx, c, v, err)
}

// panicText describes a panic without its stack. Describing may panic too.
func panicText(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", p)
		}
	}()
	if err, ok := p.(error); ok {
		return clip(err.Error(), 500)
	}
	return clip(fmt.Sprint(p), 500)
}

// outcome is the result of a Run that returned.
func outcome(ctx context.Context, c Call, v any, err error) Result {
	r := render(c, v)
	switch {
	case r.Status != "" && (err == nil || r.Status != OK): // the tool's own word
	case ctx.Err() != nil:
		r.Status = interruption(ctx)
		r.Text = stopped(ctx, r.Text, err)
	case err != nil:
		r.Status = Failed
		r.Text = withOutput(err.Error(), r.Text)
	default:
		r.Status = OK
	}
	return r
}

// stopped is the text of a call that was interrupted.
func stopped(ctx context.Context, output string, err error) string {
	text := "stopped: " + why(ctx)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		text += "; " + err.Error()
	}
	if interruption(ctx) == TimedOut {
		text += "; ask for less at a time"
	}
	if output == noOutput {
		return text + "\nIt had returned nothing."
	}
	return text + "\nWhat it had so far:\n" + output
}

// withOutput puts an error before what the tool returned beside it.
func withOutput(text, output string) string {
	if output == noOutput {
		return cmp.Or(text, "the tool failed without saying why")
	}
	return text + "\n" + output
}

// render turns a returned value into text. The status is that of a returned
// Result, else empty.
func render(c Call, v any) Result {
	switch v := v.(type) {
	case nil:
		return Result{Text: noOutput}
	case string:
		return Result{Text: cmp.Or(v, noOutput)}
	case Result:
		v.Text = cmp.Or(v.Text, noOutput)
		return v
	case *Result:
		if v == nil {
			return Result{Text: noOutput}
		}
		return render(c, *v)
	}
	full := safejson.Options{MaxBytes: fullBytes}.Append(nil, v)
	r := Result{Text: string(full), Digest: digest(string(full))}
	if limit := c.room(); len(full) > limit {
		r.Text = string(safejson.Options{MaxBytes: limit}.Append(nil, v))
		r.Truncated = true
	}
	return r
}

// finish fills in what every result has. The text is cut to the room of the
// call, unless the tool did so already.
func finish(c Call, r Result) Result {
	r.ID, r.Name = c.ID, c.Name
	r.Coerced = c.Coerced
	r.Text = cut.Valid(r.Text)
	r.Digest = cmp.Or(r.Digest, digest(r.Text))
	limit := c.room()
	if r.Truncated {
		limit += slack
	}
	if text, cut := cutEnd(r.Text, limit); cut {
		r.Text, r.Truncated = text, true
	}
	return r
}

// room is the limit of the result text in bytes.
func (c Call) room() int { return cmp.Or(c.MaxBytes, defaultBytes) }

// digest is a short name of a text: equal texts have equal digests.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// cutEnd cuts text to at most limit bytes, between characters, and says how
// much is left out. A limit too small for the words gives the words alone.
func cutEnd(text string, limit int) (string, bool) {
	if len(text) <= limit {
		return text, false
	}
	head := text[:cut.End(text, limit-len(leftOut(len(text), len(text))))]
	return head + leftOut(len(text)-len(head), len(text)), true
}

func leftOut(n, of int) string {
	return fmt.Sprintf("\n[cut: %d of %d bytes left out]", n, of)
}

// clip shortens text to about n bytes, without control characters, for use in a
// sentence.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:cut.End(s, n)] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cut.Valid(s))
}
