package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/localagent/localagent/parse"
	"github.com/spf13/pflag"
)

func parseCommand() *command {
	return &command{
		name:    "parse",
		args:    "[flags] [FILE…]",
		summary: "read model output: what it calls, what had to be repaired",
		about: "Reads what a model wrote, from stdin or files, and prints what it means as one JSON object: " +
			"the kind (call, final or unparseable), the calls, the text around them, the thinking, and why a reply cannot be used. " +
			"It needs no model and runs nothing.\n" +
			"With --jsonl each line of input is {\"id\":…,\"text\":…,\"tools\":[…],\"finish\":\"stop|length\"} and gives one line of output with that id, in order.",
		examples: []example{
			{`pbpaste | localagent parse --tools read_file,calc`, "what would this reply have run?"},
			{`localagent parse --explain --tools calc reply.txt`, "for people: carets under the spot"},
			{`localagent parse --jsonl --strict < replies.jsonl > readings.jsonl`, "many replies; status 5 if one cannot be read"},
		},
		groups: []group{{"Reading", addParseFlags}},
		run:    runParse,
	}
}

// parseOptions are the flags of parse alone.
type parseOptions struct {
	tools      string
	jsonl      bool
	explain    bool
	strict     bool
	expectJSON bool
	inThought  bool
	finish     string
}

func addParseFlags(f *pflag.FlagSet, o *options) {
	p := &o.parse
	f.StringVar(&p.tools, "tools", "", "registered tools: `NAMES` with commas, or @FILE with their schemas as JSON")
	f.BoolVar(&p.jsonl, "jsonl", false, "read JSON lines, write JSON lines")
	f.BoolVar(&p.explain, "explain", false, "show the reading to a person, in place of JSON")
	f.BoolVar(&p.strict, "strict", false, "status 5 when a reply cannot be read")
	f.BoolVar(&p.expectJSON, "expect-json", false, "the reply was asked to be JSON: unmarked JSON is the answer")
	f.BoolVar(&p.inThought, "in-thought", false, "the reply begins inside a thought that the prompt has opened")
	p.finish = "unknown"
	f.Var(&choice{to: &p.finish, words: []string{"unknown", "stop", "length"}}, "finish",
		"`HOW` the reply ended: stop, length (cut by a limit), unknown")
}

var finishes = map[string]parse.Finish{
	"":        parse.FinishUnknown,
	"unknown": parse.FinishUnknown,
	"stop":    parse.FinishStop,
	"length":  parse.FinishLength,
}

func runParse(ctx context.Context, e *env, o *options, files []string) error {
	p := o.parse
	if p.jsonl && p.explain {
		return usageErrorf("--jsonl and --explain exclude each other")
	}
	ts, err := readTools(p.tools)
	if err != nil {
		return err
	}
	r := &reader{
		e: e, o: p, name: len(files) > 1,
		options: parse.Options{Tools: ts, ExpectJSON: p.expectJSON, InThought: p.inThought},
	}
	if len(files) == 0 {
		if isTerminal(e.stdin) && e.err.tty {
			e.note("reading stdin… (Ctrl-D ends it)")
		}
		files = []string{"-"}
	}
	for _, name := range files {
		if err := r.file(name); err != nil {
			return err
		}
	}
	if p.strict && r.unparseable {
		return exit(exitUnusable)
	}
	return nil
}

// A reader reads the inputs of one `parse`.
type reader struct {
	e       *env
	o       parseOptions
	options parse.Options
	name    bool // say which file a reading is of

	unparseable bool // at least one was
}

func (r *reader) file(name string) error {
	in := r.e.stdin
	if name != "-" {
		f, err := openInput(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	if r.o.jsonl {
		return r.bulk(in)
	}
	return r.one(name, in)
}

// one reads a whole input as one reply.
func (r *reader) one(name string, in io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(in, maxReply+1))
	called := name
	if name == "-" {
		called = "stdin"
	}
	switch {
	case errors.Is(err, os.ErrClosed):
	case err != nil:
		return fmt.Errorf("reading %s: %w", called, err)
	case len(b) > maxReply:
		return usageErrorf("%s is larger than %d MiB", called, maxReply>>20)
	}
	text := string(b)
	res := parse.Parse(text, r.options, finishes[r.o.finish])
	r.count(&res)
	if r.o.explain {
		if r.name {
			r.e.out.put(span{styleBold, name}, "\n")
		}
		explain(r.e.out, text, &res)
		return nil
	}
	var line []byte
	line = append(line, '{')
	if r.name {
		line = append(appendJSON(append(line, `"file":`...), name), ',')
	}
	line = append(appendReading(line, &res), '}', '\n')
	r.e.out.jsonLines(line)
	return nil
}

func (r *reader) count(res *parse.Result) {
	if res.Outcome == parse.Unparseable {
		r.unparseable = true
	}
}

// readTools reads the value of --tools.
func readTools(s string) ([]parse.Tool, error) {
	file, ok := strings.CutPrefix(s, "@")
	if !ok {
		var ts []parse.Tool
		for _, name := range strings.Split(s, ",") {
			if name = strings.TrimSpace(name); name != "" {
				ts = append(ts, parse.Tool{Name: name})
			}
		}
		return ts, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, &statusError{exitUsage, err}
	}
	var specs []toolSpec
	if err := json.Unmarshal(withoutMark(b), &specs); err != nil {
		return nil, usageErrorf("%s: want a JSON array of tool names or schemas: %v", file, plainJSON(err))
	}
	return specTools(specs), nil
}

// A toolSpec is a tool as people write it down: a name alone, an object with
// name and parameters, or that object under "function".
type toolSpec struct{ parse.Tool }

func (t *toolSpec) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Name)
	}
	type plain struct {
		Name        string          `json:"name"`
		Parameters  json.RawMessage `json:"parameters"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	var w struct {
		plain
		Function *plain `json:"function"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	p := w.plain
	if w.Function != nil {
		p = *w.Function
	}
	if p.Name == "" {
		return errors.New(`a tool without a "name"`)
	}
	t.Name, t.Parameters = p.Name, p.Parameters
	if t.Parameters == nil {
		t.Parameters = p.InputSchema
	}
	if string(t.Parameters) == "null" {
		t.Parameters = nil
	}
	return nil
}

func specTools(specs []toolSpec) []parse.Tool {
	ts := make([]parse.Tool, len(specs))
	for i, s := range specs {
		ts[i] = s.Tool
	}
	return ts
}
