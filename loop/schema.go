package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/localagent/localagent/tools"
)

// Bounds of what a model may write under a schema: without them constrained
// decoding runs on until it is cut. Servers turn a length into a grammar rule
// repeated that often and refuse very long ones.
const (
	maxArgument    = 1000 // characters of a string in the arguments
	maxAnswer      = 1500 // characters of the answer
	maxItems       = 50   // of a list
	maxSchemaDepth = 16
)

// replySchema is what the last try of a reply must fit: a call of one of the
// tools, or an answer. The answer is text unless there is a schema for it.
//
//	{"tool": NAME, "args": {…}} or {"answer": …}
//
// The keys stand in the order in which a model should write them.
func replySchema(ts []*tools.Tool, answer json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"anyOf":[`)
	for _, t := range ts {
		fmt.Fprintf(&b, `{"type":"object","properties":{"tool":{"type":"string","enum":[%s]},"args":`, quoteJSON(t.Name))
		b.Write(boundedSchema(t.Parameters))
		b.WriteString(`},"required":["tool","args"],"additionalProperties":false},`)
	}
	b.WriteString(`{"type":"object","properties":{"answer":`)
	if len(answer) > 0 {
		b.Write(boundedSchema(answer))
	} else {
		fmt.Fprintf(&b, `{"type":"string","minLength":1,"maxLength":%d}`, maxAnswer)
	}
	b.WriteString(`},"required":["answer"],"additionalProperties":false}]}`)
	return b.Bytes()
}

func quoteJSON(s string) []byte {
	q, _ := json.Marshal(s) // a string cannot fail
	return q
}

// anyObject is the schema of a tool that does not say what it takes.
const anyObject = `{"type":"object"}`

// boundedSchema is the schema with a limit for every string and list in it. One
// that refers to definitions elsewhere gives way to any object: its arguments
// are checked when the call is run.
func boundedSchema(schema json.RawMessage) []byte {
	if len(schema) == 0 || !gjson.ValidBytes(schema) || bytes.Contains(schema, []byte(`"$ref"`)) {
		return []byte(anyObject)
	}
	return appendBounded(nil, gjson.ParseBytes(schema), 0)
}

// appendBounded appends a schema, keys in their order, bounded.
func appendBounded(dst []byte, s gjson.Result, depth int) []byte {
	if !s.IsObject() || depth > maxSchemaDepth {
		return append(dst, s.Raw...)
	}
	b := schemaWriter{dst: append(dst, '{')}
	s.ForEach(func(key, v gjson.Result) bool {
		b.keyword(key, v, depth)
		return true
	})
	b.limits(s)
	return append(b.dst, '}')
}

type schemaWriter struct {
	dst []byte
	n   int
}

func (b *schemaWriter) key(key string) {
	if b.n > 0 {
		b.dst = append(b.dst, ',')
	}
	b.n++
	b.dst = append(append(b.dst, key...), ':')
}

// keyword copies one keyword, with the schemas inside it bounded. Limits are
// left to [schemaWriter.limits].
func (b *schemaWriter) keyword(key, v gjson.Result, depth int) {
	switch key.Str {
	case "maxLength", "maxItems", "$schema", "$id", "title", "default", "examples":
		return
	case "properties", "$defs":
		b.key(key.Raw)
		b.dst = append(b.dst, '{')
		inner := schemaWriter{dst: b.dst}
		v.ForEach(func(name, s gjson.Result) bool {
			inner.key(name.Raw)
			inner.dst = appendBounded(inner.dst, s, depth+1)
			return true
		})
		b.dst = append(inner.dst, '}')
		return
	case "items", "additionalProperties":
		b.key(key.Raw)
		b.dst = appendBounded(b.dst, v, depth+1)
		return
	case "anyOf", "oneOf", "allOf", "prefixItems":
		b.key(key.Raw)
		b.dst = append(b.dst, '[')
		for i, s := range v.Array() {
			if i > 0 {
				b.dst = append(b.dst, ',')
			}
			b.dst = appendBounded(b.dst, s, depth+1)
		}
		b.dst = append(b.dst, ']')
		return
	}
	b.key(key.Raw)
	b.dst = append(b.dst, v.Raw...)
}

// limits adds the bounds that the types of a schema need.
func (b *schemaWriter) limits(s gjson.Result) {
	types := s.Get("type").Raw
	closed := s.Get("enum").Exists() || s.Get("const").Exists()
	if strings.Contains(types, `"string"`) && !closed {
		b.limit(s, "maxLength", maxArgument)
	}
	if strings.Contains(types, `"array"`) {
		b.limit(s, "maxItems", maxItems)
	}
	if s.Get("properties").Exists() && !s.Get("additionalProperties").Exists() {
		b.key(`"additionalProperties"`)
		b.dst = append(b.dst, "false"...)
	}
}

func (b *schemaWriter) limit(s gjson.Result, name string, most int64) {
	if own := s.Get(name); own.Exists() {
		most = min(most, own.Int())
	}
	b.key(strconv.Quote(name))
	b.dst = strconv.AppendInt(b.dst, most, 10)
}

// schemaAnswer is the answer in a reply that was held to [replySchema].
func schemaAnswer(raw string) (text string, ok bool) {
	var reply struct{ Tool, Answer json.RawMessage }
	if json.Unmarshal([]byte(raw), &reply) != nil || reply.Answer == nil || reply.Tool != nil {
		return "", false
	}
	if json.Unmarshal(reply.Answer, &text) == nil {
		return text, true
	}
	return string(reply.Answer), true
}

// answerSchema checks final answers.
type answerSchema struct{ *tools.Schema }

// compileAnswer reads the schema of final answers; nil when there is none.
func compileAnswer(raw json.RawMessage) (*answerSchema, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	s, err := tools.NewSchema(raw)
	if err != nil {
		return nil, fmt.Errorf("loop: the answer's schema: %w", err)
	}
	return &answerSchema{s}, nil
}

// check is the JSON value in an answer, or what is wrong with it.
func (s *answerSchema) check(text string) (value string, err error) {
	value = unfenced(text)
	var v json.RawMessage
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		return "", fmt.Errorf("the answer is not JSON: %w", err)
	}
	if err := s.Validate(v); err != nil {
		return "", fmt.Errorf("the answer does not fit its schema: %w", err)
	}
	return value, nil
}

// unfenced is the content of a text that is one fenced block, else the text.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	body, fenced := strings.CutPrefix(text, "```")
	if !fenced || !strings.HasSuffix(body, "```") {
		return text
	}
	_, body, _ = strings.Cut(body, "\n")
	return strings.TrimSpace(strings.TrimSuffix(body, "```"))
}
