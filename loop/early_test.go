package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/localagent/localagent/tools"
)

// A slowEnd is a model that takes a second before its terminal chunk.
type slowEnd struct {
	*script
	atEnd func()
}

func (m slowEnd) Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for c, err := range m.script.Stream(ctx, req) {
			if c.Done != nil {
				sleep(ctx, time.Second)
				m.atEnd()
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// A diary keeps what began to run, and what ended, in order.
type diary struct {
	mu    sync.Mutex
	began []string
	ended []string
}

func (d *diary) write(list *[]string, what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*list = append(*list, what)
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.began)
}

// tool takes three seconds.
func (d *diary) tool(name string, access tools.Access) *tools.Tool {
	return &tools.Tool{Name: name, Class: tools.Read, Access: access,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run: func(ctx context.Context, c tools.Call) (any, error) {
			what := name + string(c.Args)
			d.write(&d.began, what)
			err := sleep(ctx, 3*time.Second)
			if err == nil {
				d.write(&d.ended, what)
			}
			return name, err
		}}
}

// ReadOnly calls may start while the model still writes; those behind an
// exclusive one, and those that somebody has to be asked for, may not. A reply
// that turns out void leaves no trace of them.
func TestEarlyStart(t *testing.T) {
	four := calls(use("look", "n", 1), use("ask"), use("write"), use("look", "n", 2))
	void := calls(use("look", "n", 1), `{"tool":"look","args":`)
	retracted := line{text: use("look", "n", 1) + "\n</think>\nDone.", pieces: 5}
	tests := []struct {
		name   string
		early  bool
		reply  line
		before []string // what began before the reply was complete
		ended  int      // results
	}{
		{"off", false, four, nil, 4},
		{"on", true, four, []string{`look{"n":1}`}, 4},
		{"a void reply", true, void, []string{`look{"n":1}`}, 0},
		{"a retracted call", true, retracted, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{}
				var before []string
				s := &script{lines: []line{tt.reply, says("ok")}}
				replies := 0
				a := &Agent{
					EarlyStart: tt.early,
					Tools:      tools.NewSet(d.tool("look", tools.ReadOnly), d.tool("ask", tools.ReadOnly), d.tool("write", tools.Exclusive)),
					Permit: func(_ context.Context, r PermitRequest) Permission {
						if r.Early && r.Tool.Name == "ask" {
							return Permission{Verdict: Refused}
						}
						return Permission{}
					},
					Model: slowEnd{s, func() {
						if replies++; replies == 1 {
							before = d.read()
						}
					}},
				}
				tr := &Transcript{}
				evs := eventsOf(a, tr, Prompt{Text: "go"})
				// Whether a retracted call begins depends on who is faster.
				if diff := cmp.Diff(tt.before, before); diff != "" && tt.name != "a retracted call" {
					t.Errorf("began before the end: %s", diff)
				}
				started, ended := len(eventsOfType[ToolStarted](evs)), len(eventsOfType[ToolEnded](evs))
				if started != tt.ended || ended != tt.ended || len(d.ended) != tt.ended {
					t.Errorf("%d calls begin, %d end, %d ran to the end; want %d", started, ended, len(d.ended), tt.ended)
				}
				if got := len(d.read()); tt.ended > 0 && got != tt.ended {
					t.Errorf("%d runs, want each call once", got)
				}
				checkRun(t, tr, s)
			})
		})
	}
}

// No tool runs on when the run is over, also one whose result nobody wants.
func TestEarlyCallsEndWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := make(chan struct{}), false
		slow := &tools.Tool{Name: "slow", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(ctx context.Context, _ tools.Call) (any, error) {
				close(began)
				<-ctx.Done()
				time.Sleep(time.Second)
				ended = true
				return nil, nil
			}}
		s := &script{lines: []line{says(use("slow") + "\n" + `{"tool":"slow","args":`)}}
		a := &Agent{Model: slowEnd{s, func() { <-began }}, Tools: tools.NewSet(slow), EarlyStart: true, Retries: -1}
		if res := a.Run(context.Background(), nil, Prompt{Text: "go"}); res.Stop != StopUnparseable || !ended {
			t.Errorf("%q, the tool has ended: %v", res.Stop, ended)
		}
	})
}

// A write bars the reads behind it also when the guard may stop it.
func TestRepeatedWriteBars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{}
		var before []string
		s := &script{lines: []line{calls(use("write"), use("look", "n", 1)), calls(use("write"), use("look", "n", 2)), says("ok")}}
		a := &Agent{
			EarlyStart: true, Tools: tools.NewSet(d.tool("look", tools.ReadOnly), d.tool("write", tools.Exclusive)),
			Model: slowEnd{s, func() { before = append(before, fmt.Sprint(len(d.read()))) }},
		}
		a.Run(context.Background(), nil, Prompt{Text: "go"})
		if diff := cmp.Diff([]string{"0", "2", "4"}, before); diff != "" {
			t.Errorf("calls that began before the end of each reply: %s", diff)
		}
	})
}

// Starting early changes nothing that the model sees: mistakes are counted once,
// and a call that the guard does not run is not run.
func TestEarlyStartIsInvisible(t *testing.T) {
	wrong, look := calls(use("echo", "txt", 1)), calls(use("echo", "text", "a"))
	var told [2][]string
	for i, early := range []bool{false, true} {
		ran := 0
		count := &tools.Tool{Name: "count", Class: tools.Read, Access: tools.ReadOnly,
			Run: func(context.Context, tools.Call) (any, error) { ran++; return ran, nil }}
		a := &Agent{Tools: toolbox(count), EarlyStart: early, Guard: Guard{Strikes: 1}}
		_, s, _ := runScript(t, a, wrong, look, wrong, look, wrong,
			calls(use("count")), calls(use("count")), says("ok"))
		for _, req := range s.requests {
			told[i] = append(told[i], lastUser(req))
		}
		if ran != 1 {
			t.Errorf("early %v: a repeated call ran %d times", early, ran)
		}
	}
	if diff := cmp.Diff(told[0], told[1]); diff != "" {
		t.Error(diff)
	}
}

// What was started early has no more room for its result than the other calls
// of its step.
func TestEarlyResultsShareTheRoom(t *testing.T) {
	big := &tools.Tool{Name: "big", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Run: func(_ context.Context, c tools.Call) (any, error) {
			return string(c.Args) + strings.Repeat(" some words", 2000), nil
		}}
	for _, n := range []int{1, 2, 8, 20} {
		var cs []string
		for i := range n {
			cs = append(cs, use("big", "n", i))
		}
		var told [2]string
		for i, early := range []bool{false, true} {
			a := &Agent{Tools: tools.NewSet(big), Window: 8192, EarlyStart: early}
			res, s, _ := runScript(t, a, calls(cs...), says("ok"))
			if res.State.Compactions != 0 {
				t.Errorf("%d calls, early %v: results that nobody had seen were removed", n, early)
			}
			told[i] = lastUser(s.requests[1])
		}
		if diff := cmp.Diff(told[0], told[1]); diff != "" {
			t.Errorf("%d calls: %s", n, diff)
		}
	}
}

// No more calls run at once than may, however they were started.
func TestEarlyCallsHaveSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{pause: 3 * time.Second}
		var cs []string
		for i := range 3 * maxParallel {
			cs = append(cs, use("look", "n", i))
		}
		a := &Agent{Tools: s.tools(), EarlyStart: true, Window: 1 << 20}
		a.Model = slowEnd{&script{lines: []line{calls(cs...), says("ok")}}, func() {}}
		if res := a.Run(context.Background(), nil, Prompt{Text: "go"}); res.State.Calls != len(cs) {
			t.Errorf("%d calls", res.State.Calls)
		}
		if n := s.mostReaders.Load(); n != maxParallel {
			t.Errorf("%d calls ran at once, want %d", n, maxParallel)
		}
	})
}

// A failure in a reply that turned out void is none that the model has seen.
func TestVoidMistakesDoNotCount(t *testing.T) {
	void := says(use("fail") + "\n" + `{"tool":"fail","args":{"a":1 2}}`)
	for _, early := range []bool{false, true} {
		s := &script{lines: []line{void, void, calls(use("fail")), says("ok")}}
		a := &Agent{Tools: toolbox(), EarlyStart: early, Model: slowEnd{s, func() {}}}
		synctest.Test(t, func(t *testing.T) {
			a.Run(context.Background(), nil, Prompt{Text: "go"})
		})
		if told := lastUser(s.requests[len(s.requests)-1]); strings.Contains(told, "before") {
			t.Errorf("early %v: the model is told %q", early, told)
		}
	}
}
