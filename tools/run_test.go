package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

type spiteful struct{}

func (spiteful) Error() string { panic("and again") }

func TestDo(t *testing.T) {
	code := 2
	for _, tt := range []struct {
		name string
		run  func(Call) (any, error)
		want Result
	}{
		{"text", func(Call) (any, error) { return "a <b> & c\n", nil }, Result{Status: OK, Text: "a <b> & c\n"}},
		{"value", func(Call) (any, error) { return map[string]any{"n": math.Inf(1)}, nil }, Result{Status: OK, Text: `{"n":"Infinity"}`}},
		{"nothing", func(Call) (any, error) { return nil, nil }, Result{Status: OK, Text: "(no output)"}},
		{"empty text", func(Call) (any, error) { return "", nil }, Result{Status: OK, Text: "(no output)"}},
		{"text that is no UTF-8", func(Call) (any, error) { return "a\xff\xed\xa0\x80b", nil }, Result{Status: OK, Text: "a\uFFFDb"}},
		{"error", func(Call) (any, error) { return nil, errors.New("no such file") }, Result{Status: Failed, Text: "no such file"}},
		{"error and value", func(Call) (any, error) { return []int{1}, errors.New("half done") }, Result{Status: Failed, Text: "half done\n[1]"}},
		{"error without a word", func(Call) (any, error) { return nil, errors.New("") }, Result{Status: Failed, Text: "the tool failed without saying why"}},
		{"result", func(Call) (any, error) {
			return Result{ID: "other", Name: "other", Text: "x", ExitCode: &code, Diff: "d"}, nil
		}, Result{Status: OK, Text: "x", ExitCode: &code, Diff: "d"}},
		{"pointer to a result", func(Call) (any, error) { return &Result{Status: Denied, Text: "x"}, nil }, Result{Status: Denied, Text: "x"}},
		{"nil result", func(Call) (any, error) { return (*Result)(nil), nil }, Result{Status: OK, Text: "(no output)"}},
		{"result without a word", func(Call) (any, error) { return Result{}, nil }, Result{Status: OK, Text: "(no output)"}},
		{"pointer to one", func(Call) (any, error) { return &Result{Status: OK}, nil }, Result{Status: OK, Text: "(no output)"}},
		{"result that is ok, and error", func(Call) (any, error) { return Result{Status: OK, Text: "x"}, errors.New("e") }, Result{Status: Failed, Text: "e\nx"}},
		{"result without a word, and error", func(Call) (any, error) { return Result{}, errors.New("e") }, Result{Status: Failed, Text: "e"}},
		{"result and error", func(Call) (any, error) { return Result{Text: "x"}, errors.New("e") }, Result{Status: Failed, Text: "e\nx"}},
		{"panic", func(Call) (any, error) { panic("index out of range") }, Result{Status: Panicked, Text: "the tool crashed: index out of range\nThe fault is the tool's. Do not repeat the call unchanged; go on without it if you can."}},
		{"panic that panics", func(Call) (any, error) { panic(spiteful{}) }, Result{Status: Panicked, Text: "the tool crashed: tools.spiteful\nThe fault is the tool's. Do not repeat the call unchanged; go on without it if you can."}},
		{"error that panics", func(Call) (any, error) { return nil, spiteful{} }, Result{Status: Panicked, Text: "the tool crashed: and again\nThe fault is the tool's. Do not repeat the call unchanged; go on without it if you can."}},
		{"goroutine that ends", func(Call) (any, error) { runtime.Goexit(); return nil, nil }, Result{Status: Panicked, Text: "the tool ended without a result"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := NewSet(toolWith(`{"type":"object"}`, tt.run))
			got := set.Do(context.Background(), Call{ID: "1.2", Name: "t"})
			if got.ID != "1.2" || got.Name != "t" || got.Digest == "" || got.Elapsed <= 0 {
				t.Errorf("not filled in: %+v", got)
			}
			if (got.Stack != "") != (strings.HasPrefix(got.Text, "the tool crashed")) {
				t.Errorf("stack %q", got.Stack)
			}
			if got.Status != tt.want.Status || got.Text != tt.want.Text || got.ExitCode != tt.want.ExitCode || got.Diff != tt.want.Diff {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// waiting is a tool that works until its context ends, and then for longer.
func waiting(own, longer time.Duration, v any, err error) *Set {
	return NewSet(&Tool{Name: "t", Timeout: own, Run: func(ctx context.Context, _ Call) (any, error) {
		<-ctx.Done()
		time.Sleep(longer)
		return v, err
	}})
}

func TestLimits(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name        string
		own, callTo time.Duration
		ctxTo       time.Duration // 0: cancelled after an hour
		longer      time.Duration
		value       any
		err         error
		status      Status
		text        string
		elapsed     time.Duration
	}{
		{"the tool's limit", minute, 2 * minute, 0, 0, "half", nil, TimedOut, "stopped: the time limit of the tool was reached (1m0s); ask for less at a time\nWhat it had so far:\nhalf", minute},
		{"the caller's limit", 0, 2 * minute, 0, 0, nil, context.DeadlineExceeded, TimedOut, "stopped: the time limit of the tool was reached (2m0s); ask for less at a time\nIt had returned nothing.", 2 * minute},
		{"the deadline of the run", 3 * minute, 0, minute, 0, nil, fmt.Errorf("killed: %w", context.Canceled), TimedOut, "stopped: the time limit was reached; ask for less at a time\nIt had returned nothing.", minute},
		{"cancelled", 0, 0, 0, 0, "half", errors.New("broken pipe"), Aborted, "stopped: the run was cancelled; broken pipe\nWhat it had so far:\nhalf", 60 * minute},
		{"a status of its own", minute, 0, 0, 0, Result{Status: OK, Text: "written"}, nil, OK, "written", minute},
		{"within the grace", minute, 0, 0, grace - 1, "late", nil, TimedOut, "stopped: the time limit of the tool was reached (1m0s); ask for less at a time\nWhat it had so far:\nlate", minute + grace - 1},
		{"never returns", minute, 0, 0, 100 * minute, "too late", nil, TimedOut, "the time limit of the tool was reached (1m0s), but the tool did not stop; it may still be running", minute + grace},
		{"never returns, cancelled", 0, 0, 0, 100 * minute, "too late", nil, Aborted, "the run was cancelled, but the tool did not stop; it may still be running", 60*minute + grace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if tt.ctxTo > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.ctxTo)
					defer cancel()
				}
				time.AfterFunc(60*minute, cancel)
				got := waiting(tt.own, tt.longer, tt.value, tt.err).Do(ctx, Call{Name: "t", Timeout: tt.callTo})
				if got.Status != tt.status || got.Text != tt.text || got.Elapsed != tt.elapsed {
					t.Errorf("got  %s after %s: %s\nwant %s after %s: %s", got.Status, got.Elapsed, got.Text, tt.status, tt.elapsed, tt.text)
				}
				time.Sleep(tt.longer) // a tool that was left behind ends in its own time
			})
		})
	}
}

func TestSkipped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	set := NewSet(toolWith(`{"type":"object"}`, func(Call) (any, error) { ran = true; return nil, nil }))
	if r := set.Do(ctx, Call{Name: "t"}); ran || r.Status != Skipped || r.Text != "not started: the run was cancelled" {
		t.Errorf("ran: %v, %+v", ran, r)
	}
}

func TestMaxBytes(t *testing.T) {
	long := strings.Repeat("äöü", 1000)
	list := make([]int, 5000)
	for _, tt := range []struct {
		name  string
		value any
		max   int
		cut   bool
		want  string // beginning
		end   string
	}{
		{"fits", long, 6000, false, "äöü", "äöü"},
		{"text", long, 100, true, "äöü", "\n[cut: 5936 of 6000 bytes left out]"},
		{"no room", long, 1, true, "\n[cut: 6000 of 6000 bytes left out]", ""},
		{"value", list, 100, true, "[0,0,", `"[cut: 4970 of 5000 items left out]"]`},
		{"default", strings.Repeat("x", 50<<10+1), 0, true, "xxx", "bytes left out]"},
		{"default fits", strings.Repeat("x", 50<<10), 0, false, "xxx", "xxx"},
		{"result", Result{Text: long}, 100, true, "äöü", "bytes left out]"},
		{"result that is cut already", Result{Text: long[:120], Truncated: true}, 100, true, "äöü", "äöü"},
		{"error", errors.New(long), 100, true, `"äöü`, `left out]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := NewSet(toolWith(`{"type":"object"}`, func(Call) (any, error) { return tt.value, nil }))
			r := set.Do(context.Background(), Call{Name: "t", MaxBytes: tt.max})
			if r.Truncated != tt.cut || !strings.HasPrefix(r.Text, tt.want) || !strings.HasSuffix(r.Text, tt.end) || !utf8.ValidString(r.Text) {
				t.Errorf("truncated %v: %s", r.Truncated, r.Text)
			}
			if limit := max(tt.max, 40); tt.max > 0 && !strings.Contains(tt.name, "already") && len(r.Text) > limit {
				t.Errorf("%d bytes of %d", len(r.Text), limit)
			}
		})
	}
}

// The digest is that of all a tool returned, however little of it is shown.
func TestDigest(t *testing.T) {
	tail := ""
	for _, value := range []func() any{
		func() any { return strings.Repeat("x", 1000) + tail },
		func() any { return []string{strings.Repeat("x", 1000), tail} },
		func() any { return Result{Text: strings.Repeat("x", 1000) + tail} },
	} {
		set := NewSet(toolWith(`{"type":"object"}`, func(Call) (any, error) { return value(), nil }))
		digest := func(s string, max int) string {
			tail = s
			return set.Do(context.Background(), Call{Name: "t", MaxBytes: max}).Digest
		}
		if digest("a", 100) == digest("b", 100) || digest("a", 100) != digest("a", 2000) {
			t.Errorf("%T: digests do not tell results apart", value())
		}
	}
}

// Calls may run at the same time on one set.
func TestParallel(t *testing.T) {
	set := NewSet(toolWith(everything, echo))
	done := make(chan Result)
	var m Mistakes
	for i := range 50 {
		go func() {
			args := fmt.Sprintf(`{"s":%d,"n":"%d"}`, i, i%2*1000000/(1+i%2))
			if i%3 == 0 {
				args = `{}`
			}
			done <- set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(args), Mistakes: &m})
		}()
	}
	counts := map[Status]int{}
	for range 50 {
		counts[(<-done).Status]++
	}
	if counts[OK] != 33 || counts[InvalidArgs] != 17 {
		t.Errorf("got %v", counts)
	}
}
