package loop_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// A whole program: a tool of one's own, a model, a question. With
// [github.com/localagent/localagent/loop/ollama.Model] in place of the recorded
// replies it asks a real one.
func ExampleAgent_Run() {
	type place struct {
		City string `json:"city" jsonschema:"name of the city"`
	}
	weather := tools.New(
		tools.Tool{Name: "weather", Description: "The weather in a city now.", Class: tools.Read, Access: tools.ReadOnly},
		func(ctx context.Context, c tools.Call, p place) (string, error) {
			if p.City != "Oslo" {
				return "", fmt.Errorf("no station in %s; there is one in Oslo", p.City)
			}
			return "4 °C, rain", nil
		})

	recorded := `
{"text": "Let me see.\n{\"tool\": \"weather\", \"args\": {\"city\": \"Bergen\"}}"}
{"text": "{\"tool\": \"weather\", \"args\": {\"city\": \"Oslo\"}}"}
{"text": "It rains in Oslo, at 4 °C."}`
	model, err := replay.Read(strings.NewReader(recorded))
	if err != nil {
		fmt.Println(err)
		return
	}

	agent := &loop.Agent{Model: model, Tools: tools.NewSet(weather)}
	result := agent.Run(context.Background(), nil, loop.Prompt{Text: "How is the weather in the south of Norway?"})
	fmt.Println(result.Answer)
	fmt.Println(result.Stop, "after", result.State.Step, "steps,", result.State.Failures, "of", result.State.Calls, "calls failed")
	// Output:
	// It rains in Oslo, at 4 °C.
	// final after 3 steps, 1 of 2 calls failed
}

// The same run as a stream of events.
func ExampleAgent_Events() {
	now := &tools.Tool{
		Name: "now", Description: "The time.", Class: tools.Read, Access: tools.ReadOnly, Volatile: true,
		Run: func(context.Context, tools.Call) (any, error) { return "12:00", nil },
	}
	model := &replay.Model{Replies: []replay.Reply{
		{Text: `{"tool": "now", "args": {}}`},
		{Text: "It is noon."},
	}}
	agent := &loop.Agent{Model: model, Tools: tools.NewSet(now)}
	for ev := range agent.Events(context.Background(), nil, loop.Prompt{Text: "What time is it?"}) {
		switch ev := ev.(type) {
		case loop.StepStarted:
			fmt.Println("step", ev.Step)
		case loop.ToolEnded:
			fmt.Println(ev.Call.ID, ev.Call.Name, ev.Result.Status, ev.Result.Text)
		case loop.RunEnded:
			fmt.Println(ev.Result.Stop, ev.Result.Answer)
		}
	}
	// Output:
	// step 1
	// 1.1 now ok 12:00
	// step 2
	// final It is noon.
}

// A queue takes in what a user says while a run goes on.
func ExampleQueue() {
	model := &replay.Model{Replies: []replay.Reply{
		{Text: "Four."},
		{Text: "Vier."},
	}}
	var queue loop.Queue
	queue.FollowUp("And in German?")
	agent := &loop.Agent{Model: model, Queue: &queue}
	var talk loop.Transcript
	agent.Run(context.Background(), &talk, loop.Prompt{Text: "What is 2+2?"})
	for _, e := range talk.Entries {
		fmt.Println(e.Role, e.Text)
	}
	// Output:
	// user What is 2+2?
	// assistant Four.
	// user And in German?
	// assistant Vier.
}

// Hooks see and change what goes to the model and to the tools.
func ExampleHooks() {
	shout := &tools.Tool{
		Name: "shout", Description: "Says it loud.", Class: tools.Read, Access: tools.ReadOnly,
		Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Run: func(_ context.Context, c tools.Call) (any, error) {
			return strings.ToUpper(string(c.Args)), nil
		},
	}
	model := &replay.Model{Replies: []replay.Reply{
		{Text: `{"tool": "shout", "args": {"text": "my password is 1234"}}`},
		{Text: "Done."},
	}}
	agent := &loop.Agent{Model: model, Tools: tools.NewSet(shout)}
	agent.Hooks.BeforeTool = func(_ context.Context, c *loop.Call) error {
		c.Args = []byte(strings.ReplaceAll(string(c.Args), "1234", "****"))
		return nil
	}
	agent.Hooks.AfterTool = func(_ context.Context, c loop.Call, r *tools.Result) error {
		fmt.Println(c.Name, r.Status, r.Text)
		return nil
	}
	agent.Hooks.StopAfterStep = func(_ context.Context, s loop.State) bool { return s.Calls >= 1 }
	result := agent.Run(context.Background(), nil, loop.Prompt{Text: "Say it."})
	fmt.Println(result.Stop, "-", result.Advice)
	// Output:
	// shout ok {"TEXT":"MY PASSWORD IS ****"}
	// hook - A hook of the program that started the run ended it.
}

// A message that steers joins before the next request.
func ExampleQueue_Steer() {
	now := &tools.Tool{
		Name: "now", Description: "The time.", Class: tools.Read, Access: tools.ReadOnly, Volatile: true,
		Run: func(context.Context, tools.Call) (any, error) { return "12:00", nil },
	}
	model := &replay.Model{Replies: []replay.Reply{
		{Text: `{"tool": "now", "args": {}}`},
		{Text: "Es ist Mittag."},
	}}
	var queue loop.Queue
	agent := &loop.Agent{Model: model, Tools: tools.NewSet(now), Queue: &queue}
	for ev := range agent.Events(context.Background(), nil, loop.Prompt{Text: "What time is it?"}) {
		switch ev := ev.(type) {
		case loop.ToolStarted:
			queue.Steer("In German, please.")
		case loop.UserMessage:
			fmt.Println(ev.Kind+":", ev.Text)
		case loop.RunEnded:
			fmt.Println(ev.Result.Answer)
		}
	}
	// Output:
	// task: What time is it?
	// steer: In German, please.
	// Es ist Mittag.
}

// What the model is told when it announces a step and does not take it, and when
// it writes nothing.
func ExampleHooks_model() {
	now := &tools.Tool{
		Name: "now", Description: "The time.", Class: tools.Read, Access: tools.ReadOnly, Volatile: true,
		Run: func(context.Context, tools.Call) (any, error) { return "12:00", nil },
	}
	model := &replay.Model{Replies: []replay.Reply{
		{Text: "I will look at the clock now:"},
		{Text: ""},
		{Text: `{"tool": "now", "args": {}}`},
		{Text: "It is noon."},
	}}
	agent := &loop.Agent{Model: model, Tools: tools.NewSet(now)}
	agent.Hooks.BeforeModel = func(_ context.Context, req *loop.Request) error {
		fmt.Println("to the model:", req.Messages[len(req.Messages)-1].Content)
		return nil
	}
	agent.Hooks.AfterModel = func(_ context.Context, r *parse.Result) error {
		fmt.Printf("text %q, %d calls\n", r.Text, len(r.Calls))
		return nil
	}
	agent.Run(context.Background(), nil, loop.Prompt{Text: "What time is it?"})
	// Output:
	// to the model: What time is it?
	// text "I will look at the clock now:", 0 calls
	// to the model: You announced a step and did not take it. Write the tool call now, or give the answer.
	// text "", 0 calls
	// to the model: You announced a step and did not take it. Write the tool call now, or give the answer.
	//
	// Your last reply could not be used: it was empty. Write the next tool call, or the answer in plain text.
	// text "", 1 calls
	// to the model: <tool_result name="now" status="ok">
	// 12:00
	// </tool_result>
	// text "It is noon.", 0 calls
}
