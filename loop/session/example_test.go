package session_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/loop/session"
)

// A run is logged, and another one goes on with its conversation.
func Example() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	m := &replay.Model{Replies: []replay.Reply{{Text: "Hello, Ada."}, {Text: "Your name is Ada."}}}

	log, err := session.Create(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	agent := loop.Agent{Model: m, Record: log.Write}
	fmt.Println(agent.Run(context.Background(), &loop.Transcript{}, loop.Prompt{Text: "I am Ada."}).Answer)
	log.Close()

	latest, err := session.Latest(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	log, talk, err := session.Open(latest.Path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	agent.Record = log.Write
	fmt.Println(agent.Run(context.Background(), talk, loop.Prompt{Text: "What is my name?"}).Answer)
	fmt.Println(len(talk.Entries), "entries")
	// Output:
	// Hello, Ada.
	// Your name is Ada.
	// 4 entries
}

func ExampleEncoder() {
	e := session.Encoder{
		W:   os.Stdout,
		Now: func() time.Time { return time.Date(2026, 11, 29, 19, 24, 0, 0, time.UTC) },
	}
	e.Encode(loop.UserMessage{Kind: "task", Text: "What is 6*7?"})
	e.Encode(loop.Loading{}) // has no line
	e.Encode(loop.StepStarted{Step: 1})
	e.Encode(loop.TextDelta{Text: "It is"})
	// Output:
	// {"v":1,"type":"message","seq":1,"ts":"2026-11-29T19:24:00.000Z","step":0,"role":"user","kind":"task","content":"What is 6*7?"}
	// {"v":1,"type":"text","seq":2,"ts":"2026-11-29T19:24:00.000Z","step":1,"delta":"It is"}
}

func ExampleRead() {
	f, err := os.Open("testdata/2026-11-29T19-24-00-ab12.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	talk, torn, err := session.Read(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("torn:", torn)
	for _, e := range talk.Entries {
		fmt.Printf("%s %s %q\n", e.Role, e.Kind, e.Text)
		for _, r := range e.Results {
			fmt.Println("-", r.Name, r.Status, r.Text)
		}
	}
	// Output:
	// torn: 0
	// user task "How many characters are in notes.txt?"
	// assistant reply "{\"tool\":\"count_chars\",\"args\":{\"path\":\"notes.txt\"}}"
	// user results ""
	// - count_chars ok chars: 42
	// assistant reply "It has 42."
}

func ExampleList() {
	infos, err := session.List("testdata")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range infos {
		fmt.Println(i.ID, i.Model, i.Steps, i.Stop, i.Prompt)
	}
	// Output: 2026-11-29T19-24-00-ab12 gemma3:4b 2 final How many characters are in notes.txt?
}
