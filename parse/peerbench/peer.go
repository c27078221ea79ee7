package main

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/parse/internal/inputs"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/parsers"
	"github.com/ollama/ollama/tools"
)

// A call is what a contestant found: a name, and arguments in whatever form the
// contestant gives them.
type call struct {
	name string
	args any
}

const piece = 4 // bytes fed at once: about a token

// pieces cuts a text. The compiler makes a plain loop of it, so that the pieces
// themselves cost next to nothing.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i += piece {
			if !yield(text[i:min(i+piece, len(text))]) {
				return
			}
		}
	}
}

var options = func() (o parse.Options) {
	for _, name := range inputs.Tools {
		o.Tools = append(o.Tools, parse.Tool{Name: name})
	}
	return o
}()

// A scanner knows its tools, as the peers are given theirs, and reads one reply
// after the other.
var scanner = parse.NewScanner(options)

// ours reads text with package parse.
func ours(text string) parse.Result { return oursOn(scanner, text) }

func oursOn(s *parse.Scanner, text string) parse.Result {
	s.Reset()
	s.Feed(text)
	return s.Close(parse.FinishStop)
}

func oursStreamed(s *parse.Scanner, text string) parse.Result {
	s.Reset()
	for p := range pieces(text) {
		s.Feed(p)
	}
	return s.Close(parse.FinishStop)
}

func oursCalls(r parse.Result) (calls []call) {
	for _, c := range r.Calls {
		calls = append(calls, call{c.Name, c.Args})
	}
	return calls
}

// oursDecoded reads text and decodes the arguments.
func oursDecoded(text string) (calls []call) {
	for _, c := range ours(text).Calls {
		calls = append(calls, call{c.Name, c.Values()})
	}
	return calls
}

var apiTools = func() (all []api.Tool) {
	for _, name := range inputs.Tools {
		all = append(all, api.Tool{Type: "function", Function: api.ToolFunction{Name: name}})
	}
	return all
}()

// tags are the tags that Ollama's generic parser needs to find the call of a
// text: it looks for one only.
var tags = map[string]string{"chatty": "```json", "answer": "```json", "think": "<tool_call>"}

func tagFor(name string) string {
	if tag := tags[name]; tag != "" {
		return tag
	}
	return "{"
}

func ollamaTools(tag, text string) []call {
	p := tools.NewParserWithTag(apiTools, tag)
	calls, _ := p.Add(text)
	return ollamaCalls(calls)
}

func ollamaToolsStreamed(tag, text string) (all []call) {
	p := tools.NewParserWithTag(apiTools, tag)
	for s := range pieces(text) {
		calls, _ := p.Add(s)
		all = append(all, ollamaCalls(calls)...)
	}
	return all
}

func qwen3Streamed(text string) (all []call) {
	p := parsers.ParserForName("qwen3")
	p.Init(apiTools, nil, nil)
	for s := range pieces(text) {
		_, _, calls, _ := p.Add(s, false)
		all = append(all, ollamaCalls(calls)...)
	}
	_, _, calls, _ := p.Add("", true)
	return append(all, ollamaCalls(calls)...)
}

func ollamaCalls(calls []api.ToolCall) (all []call) {
	for _, c := range calls {
		all = append(all, call{c.Function.Name, c.Function.Arguments})
	}
	return all
}

// decoderStreamed reads JSON with encoding/json from a reader that gives a piece
// at a time.
func decoderStreamed(text string) (v json.RawMessage) {
	if err := json.NewDecoder(&pieceReader{text}).Decode(&v); err != nil {
		panic(err)
	}
	return v
}

type pieceReader struct{ text string }

func (r *pieceReader) Read(p []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(p, r.text[:min(piece, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

// byteLoop reads every byte with the least state that knows strings and
// braces: what no parser can do without.
func byteLoop(text string) (depth int) {
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
	}
	return depth
}

// theCall returns the JSON of the one call in the named text, or "".
func theCall(name, text string) string {
	switch name {
	case "bare", "write":
		return text
	case "chatty":
		return between(text, "```json\n", "\n```")
	case "think":
		return between(text, "<tool_call>\n", "\n</tool_call>")
	}
	return ""
}

func between(s, open, closing string) string {
	_, s, _ = strings.Cut(s, open)
	s, _, _ = strings.Cut(s, closing)
	return s
}

// right reports whether calls are those of the named text.
func right(name, text string, calls []call) bool {
	source := theCall(name, text)
	if source == "" {
		return len(calls) == 0
	}
	var want struct {
		Name      string
		Arguments any
	}
	if err := json.Unmarshal([]byte(source), &want); err != nil {
		panic(err)
	}
	return len(calls) == 1 && calls[0].name == want.Name && reflect.DeepEqual(plain(calls[0].args), want.Arguments)
}

// plain turns arguments of any form into plain values.
func plain(args any) (v any) {
	b, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(bytes.TrimSpace(b), &v)
	}
	if err != nil {
		return err
	}
	return v
}
