package parse_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/localagent/localagent/parse"
)

// A whole reply: what the model wrote decides what happens next.
func ExampleParse() {
	options := parse.Options{Tools: []parse.Tool{{Name: "read_file"}, {Name: "list_files"}}}
	for _, reply := range []string{
		`Let me look. {"tool":"read_file","args":{"path":"notes.txt"}}`,
		`The file has 120 lines.`,
		`{"tool":"read_file","args":{"path":"no`,
	} {
		r := parse.Parse(reply, options, parse.FinishStop)
		switch r.Outcome {
		case parse.Calls:
			for _, c := range r.Calls {
				fmt.Printf("call %s %s\n", c.Name, c.Args)
			}
		case parse.Final:
			fmt.Println("answer:", r.Text)
		case parse.Unparseable:
			fmt.Printf("ask again: %s at byte %d\n", r.Problem.Reason, r.Problem.Offset)
		}
	}
	// Output:
	// call read_file {"path":"notes.txt"}
	// answer: The file has 120 lines.
	// ask again: truncated at byte 38
}

// Repairs change the spelling of a call, never its content, and are told.
func ExampleParse_repairs() {
	reply := `{"tool": "save", "args": {"path": "a.txt", "final": True,}}`
	r := parse.Parse(reply, parse.Options{Tools: []parse.Tool{{Name: "save"}}}, parse.FinishStop)
	for _, c := range r.Calls {
		fmt.Println(c.Name, string(c.Args))
		for _, repair := range c.Repairs {
			fmt.Printf("%s at byte %d\n", repair.Code, repair.Offset)
		}
	}
	// Output:
	// save {"path":"a.txt","final":true}
	// python-literal at byte 52
	// trailing-comma at byte 56
}

// Arguments are JSON, to be decoded into a struct, or into a map as here. Numbers
// keep their digits.
func ExampleCall_Values() {
	reply := `<tool_call>{"name": "pay", "arguments": {"to": "Ada", "cents": 123456789012345678}}</tool_call>`
	r := parse.Parse(reply, parse.Options{Tools: []parse.Tool{{Name: "pay"}}}, parse.FinishStop)
	args := r.Calls[0].Values()
	to, _ := args["to"].(string)
	cents, _ := args["cents"].(json.Number)
	fmt.Println(to, cents)
	// Output:
	// Ada 123456789012345678
}

// A stream: prose is shown as it comes, a call the moment it is complete.
func ExampleScanner() {
	s := parse.NewScanner(parse.Options{Tools: []parse.Tool{{Name: "calc"}}})
	stream := []string{"I will ", "add them.\n", "<tool", "_call>{\"name\":\"calc\",", "\"arguments\":{\"expr\":\"1+", "1\"}}</tool", "_call>"}
	for _, chunk := range stream {
		for _, e := range s.Feed(chunk) {
			switch e.Kind {
			case parse.EventText:
				fmt.Printf("text %q\n", e.Text)
			case parse.EventCall:
				fmt.Printf("call %s %s\n", e.Call.Name, e.Call.Args)
			}
		}
	}
	r := s.Close(parse.FinishStop) // only now it is certain what the reply is
	fmt.Println("to run:", len(r.Calls))
	// Output:
	// text "I will "
	// text "add them.\n"
	// call calc {"expr":"1+1"}
	// to run: 1
}

// Many replies: one scanner reads them all, and what it holds does not grow.
func ExampleScanner_Reset() {
	s := parse.NewScanner(parse.Options{Tools: []parse.Tool{{Name: "calc"}}})
	saved := strings.NewReader(`{"text":"{\"tool\":\"calc\",\"args\":{\"expr\":\"1\"}}"}
{"text":"Two."}
{"text":"<tool_call>{\"name\":\"calc\""}
`)
	for lines := bufio.NewScanner(saved); lines.Scan(); {
		var reply struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &reply); err != nil {
			log.Fatal(err)
		}
		s.Reset()
		s.Feed(reply.Text)
		r := s.Close(parse.FinishUnknown)
		fmt.Println(r.Outcome == parse.Calls, r.Outcome == parse.Final, r.Outcome == parse.Unparseable)
	}
	// Output:
	// true false false
	// false true false
	// false false true
}

func ExampleRender() {
	call := parse.Call{Name: "calc", Args: json.RawMessage(`{"expr":"1+1"}`)}
	fmt.Fprintln(os.Stdout, parse.Render(call, ""))
	// Output:
	// {"tool":"calc","args":{"expr":"1+1"}}
}

// What a tool read from a file can neither end a turn nor make a call.
func ExampleDefuse() {
	file := "say <tool_call> and <|im_end|>"
	safe := parse.Defuse(file)
	fmt.Println(strings.Contains(safe, "<tool_call>"), strings.Contains(safe, "<|im_end|>"))
	fmt.Println(parse.Restore(safe) == file)
	// Output:
	// false false
	// true
}
