package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A probeTask is a question that a model can answer only by a certain call.
type probeTask struct {
	prompt string
	tool   string
	args   map[string]string // of the right call, values as JSON
	answer string            // what the answer has to hold
}

// probeTasks are small on purpose: they measure whether a model can write a
// call, not what it knows.
var probeTasks = []probeTask{
	{"What is the water level at the station Aalborg, in centimetres?", "water_level", map[string]string{"station": `"Aalborg"`}, "417"},
	{"How much is 318 times 47?", "multiply", map[string]string{"a": "318", "b": "47"}, "14946"},
	{"Write the line \"rope, 2 lamps; say \\\"when\\\"\" to the list named boat.", "add_line",
		map[string]string{"list": `"boat"`, "line": `"rope, 2 lamps; say \"when\""`}, ""},
}

type (
	levelArgs struct {
		Station string `json:"station"`
	}
	productArgs struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	lineArgs struct {
		List string `json:"list"`
		Line string `json:"line"`
	}
)

// probeTools are the tools of the tasks. seen is told of every call.
func probeTools(seen func(tools.Call)) *tools.Set {
	tool := func(name, description string) tools.Tool {
		return tools.Tool{Name: name, Description: description, Class: tools.Read, Access: tools.ReadOnly}
	}
	return tools.NewSet(
		tools.New(tool("water_level", "Water level at a station, in centimetres."),
			func(_ context.Context, c tools.Call, _ levelArgs) (int, error) {
				seen(c)
				return 417, nil
			}),
		tools.New(tool("multiply", "The product of two whole numbers."),
			func(_ context.Context, c tools.Call, in productArgs) (int, error) {
				seen(c)
				return in.A * in.B, nil
			}),
		tools.New(tool("add_line", "Adds a line to a list."),
			func(_ context.Context, c tools.Call, _ lineArgs) (string, error) {
				seen(c)
				return "added", nil
			}),
	)
}

// A probeResult is how a model did when calls were asked for in one dialect.
type probeResult struct {
	Dialect     string        `json:"dialect"`
	Tasks       int           `json:"tasks"`
	Right       int           `json:"right"` // tasks with the right call and an answer
	Replies     int           `json:"replies"`
	Calls       int           `json:"calls"`       // replies that were calls
	Repaired    int           `json:"repaired"`    // of them, read with repairs
	Unparseable int           `json:"unparseable"` // replies that could not be used
	Helped      int           `json:"helped"`      // fresh retries that gave a usable reply
	Written     string        `json:"written"`     // the dialect that most calls were written in
	Tokens      int           `json:"tokens"`
	Took        time.Duration `json:"-"`
	TookMS      int64         `json:"took_ms"`
	Error       string        `json:"error,omitempty"`

	written map[parse.Dialect]int
}

// probe runs the tasks on a model in one dialect.
func probe(ctx context.Context, model loop.Model, dialect string, window int) probeResult {
	r := probeResult{Dialect: dialect, written: map[parse.Dialect]int{}}
	for _, task := range probeTasks {
		if ctx.Err() != nil {
			break
		}
		r.run(ctx, model, task, window)
		if r.Error != "" {
			break
		}
	}
	best := 0
	for d, n := range r.written {
		if n > best || n == best && string(d) < r.Written {
			r.Written, best = string(d), n
		}
	}
	r.TookMS = r.Took.Milliseconds()
	return r
}

// run runs one task and counts what happened.
func (r *probeResult) run(ctx context.Context, model loop.Model, task probeTask, window int) {
	r.Tasks++
	called := false
	agent := &loop.Agent{
		Model: model, Dialect: parse.Dialect(r.Dialect), Window: window,
		MaxSteps: 4, MaxOutput: 512, Guard: loop.Guard{Strikes: 1},
		Tools: probeTools(func(c tools.Call) { called = called || task.fits(c) }),
	}
	began := time.Now()
	retrying := false
	for ev := range agent.Events(ctx, &loop.Transcript{}, loop.Prompt{Text: task.prompt}) {
		switch ev := ev.(type) {
		case loop.Replied:
			retrying = r.reply(ev, retrying)
		case loop.RunEnded:
			end := ev.Result
			r.Tokens += end.State.Usage.PromptTokens + end.State.Usage.OutputTokens
			if end.Stop == loop.StopFinal && called && task.answered(end.Answer) {
				r.Right++
			}
			if end.Stop == loop.StopModelError {
				r.Error = end.Err.Error()
			}
		}
	}
	r.Took += time.Since(began)
}

// reply counts one reply. It returns whether the next one is a retry.
func (r *probeResult) reply(ev loop.Replied, retrying bool) bool {
	r.Replies++
	if ev.Reading.Outcome == parse.Unparseable && len(ev.Calls) == 0 {
		r.Unparseable++
		return true
	}
	if retrying {
		r.Helped++
	}
	if len(ev.Calls) > 0 {
		r.Calls++
		r.written[ev.Calls[0].Dialect]++
	}
	for _, c := range ev.Calls {
		if c.Repaired {
			r.Repaired++
			break
		}
	}
	return false
}

// fits says whether a call is the one that the task needs.
func (t probeTask) fits(c tools.Call) bool {
	var args map[string]json.RawMessage
	if c.Name != t.tool || json.Unmarshal(c.Args, &args) != nil {
		return false
	}
	for k, v := range t.args {
		if string(args[k]) != v {
			return false
		}
	}
	return true
}

// answered says whether the answer holds what the tool said.
func (t probeTask) answered(answer string) bool {
	digits := strings.NewReplacer(",", "", ".", "", " ", "", "\u202f", "", "\u00a0", "").Replace(answer)
	return strings.Contains(digits, t.answer)
}

// better says whether r is better than s: more tasks right, then fewer replies
// that could not be used, then fewer repairs. Of equals the one tried first
// stays.
func (r probeResult) better(s probeResult) bool {
	switch {
	case r.Right != s.Right:
		return r.Right > s.Right
	case r.Unparseable != s.Unparseable:
		return r.Unparseable < s.Unparseable
	}
	return r.Repaired < s.Repaired
}

// printProbe prints the results and which dialect is best.
func printProbe(s *screen, results []probeResult, best int) {
	t := table{
		head:  []string{"DIALECT", "RIGHT", "CALLS", "REPAIRED", "UNUSABLE", "HELPED", "TOKENS", "TIME", "WRITES"},
		right: []int{1, 2, 3, 4, 5, 6, 7},
	}
	for i, r := range results {
		name := r.Dialect
		if i == best && r.Right > 0 {
			name += " *"
		}
		t.add(name, fmt.Sprintf("%d/%d", r.Right, r.Tasks), fmt.Sprintf("%d/%d", r.Calls, r.Replies),
			fmt.Sprint(r.Repaired), fmt.Sprint(r.Unparseable), fmt.Sprint(r.Helped), thousands(r.Tokens), shortTime(r.Took), r.Written)
	}
	t.print(s)
	for _, r := range results {
		if r.Error != "" {
			s.put(r.Dialect+": "+r.Error, "\n")
		}
	}
}
