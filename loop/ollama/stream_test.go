package ollama

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama/ollamatest"
)

// A pipe is a server that writes what the test tells it, when it tells it.
type pipe struct{ *io.PipeReader }

func (p pipe) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: p.PipeReader}, nil
}

// When nothing comes, the user is told after three seconds, once; a reply that
// has begun and stalls is given up after five minutes.
func TestSilence(t *testing.T) {
	const line = `{"message":{"content":"a"}}` + "\n"
	type event struct {
		at   time.Duration
		what string
	}
	type write struct {
		after time.Duration
		text  string
	}
	for name, tt := range map[string]struct {
		writes []write
		want   []event
	}{
		"quick": {
			[]write{{2 * time.Second, line}, {time.Minute, `{"done":true}`}},
			[]event{{2 * time.Second, "text"}, {62 * time.Second, "done"}},
		},
		"loading takes long": {
			[]write{{time.Hour, line}, {0, `{"done":true}`}},
			[]event{{3 * time.Second, "loading"}, {time.Hour, "text"}, {time.Hour, "done"}},
		},
		"slow but steady": {
			[]write{{0, line}, {4 * time.Minute, line}, {4 * time.Minute, line}, {0, `{"done":true}`}},
			[]event{{0, "text"}, {4 * time.Minute, "text"}, {8 * time.Minute, "text"}, {8 * time.Minute, "done"}},
		},
		"stalled": {
			[]write{{time.Minute, line}, {10 * time.Minute, line}},
			[]event{{3 * time.Second, "loading"}, {time.Minute, "text"}, {6 * time.Minute, "broken"}},
		},
		"lines that say nothing": {
			slices.Concat([]write{{0, line}}, slices.Repeat([]write{{2 * time.Minute, `{"message":{"content":""}}` + "\n"}}, 3)),
			[]event{{0, "text"}, {5 * time.Minute, "broken"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				m := known(&Model{Name: "test", client: &Client{transport: pipe{r}}})
				go func() {
					for _, wr := range tt.writes {
						time.Sleep(wr.after)
						io.WriteString(w, wr.text)
					}
					w.Close()
				}()
				start := time.Now()
				var got []event
				for c, err := range m.Stream(t.Context(), ask("Hello")) {
					got = append(got, event{time.Since(start), kindOf(c, err)})
				}
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(event{})); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func kindOf(c loop.Chunk, err error) string {
	var e *loop.ModelError
	switch {
	case errors.As(err, &e):
		return string(e.Kind)
	case err != nil:
		return err.Error()
	case c.Loading:
		return "loading"
	case c.Done != nil:
		return "done"
	}
	return "text"
}

// Replies of one model can be read at the same time.
func TestStreamsAtOnce(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "Hello, you"})
	m := &Model{Name: "test", Host: s.URL}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if r, err := read(t, m, ask("Hello")); err != nil || r.Text != "Hello, you" {
				t.Errorf("got %q %v", r.Text, err)
			}
		})
	}
	group.Wait()
}
