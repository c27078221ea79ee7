package fuzz_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/localagent/localagent/parse"
	"github.com/rogpeppe/go-internal/txtar"
)

// The tools of all parse targets: their names stand in the goldens that seed
// them. Some have a schema, and some of the schemas have one parameter alone.
var parseTools = []parse.Tool{
	{Name: "calc", Parameters: json.RawMessage(`{"type":"object","properties":{"expr":{"type":"string"}}}`)},
	{Name: "get_weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}`)},
	{Name: "save", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"body":{"type":"string"}}}`)},
	{Name: "list_notes", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
	{Name: "echo"},
	{Name: "f"},
	{Name: "math.factorial"},
}

// A mode picks the options and the finish from the bits of a fuzzed byte.
type mode byte

func (m mode) options() parse.Options {
	o := parse.Options{Tools: parseTools, InThought: m&1 != 0, ExpectJSON: m&2 != 0}
	if m&4 != 0 {
		o.Tools = make([]parse.Tool, len(parseTools))
		for i, tool := range parseTools {
			o.Tools[i] = parse.Tool{Name: tool.Name}
		}
	}
	if m&8 != 0 {
		o.Tools = nil
	}
	return o
}

func (m mode) finish() parse.Finish {
	return [...]parse.Finish{parse.FinishStop, parse.FinishLength, parse.FinishUnknown, parse.FinishStop}[m>>4&3]
}

// replies are the texts of the goldens, cases and real outputs of package parse:
// the seeds. What fuzzing itself found stands in testdata/fuzz.
func replies(f *testing.F) []string {
	f.Helper()
	var texts []string
	for _, name := range []string{"replies.jsonl", "corpus/bfcl-2024-08.jsonl.gz", "corpus/small-models.jsonl.gz"} {
		rows, err := os.Open("../parse/testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		defer rows.Close()
		var r io.Reader = rows
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(rows); err != nil {
				f.Fatal(err)
			}
		}
		var row struct{ Text string }
		for d := json.NewDecoder(r); d.More(); {
			if err := d.Decode(&row); err != nil {
				f.Fatal(err)
			}
			texts = append(texts, row.Text)
		}
	}
	paths, _ := filepath.Glob("../parse/testdata/golden/*.txtar")
	if len(paths) == 0 {
		f.Fatal("no goldens")
	}
	for _, path := range paths {
		if filepath.Base(path) == "found.txtar" {
			continue
		}
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if text, _, ok := strings.Cut(string(file.Data), "\n=>\n"); ok && !strings.HasPrefix(text, "% ") {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// hash gives each seed a mode, cuts and a place of its own.
func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// FuzzParse: no panic; a result is consistent in itself; arguments are valid
// JSON objects in UTF-8 with unique keys; each Unparseable has a reason of the
// list and a place within the reply.
func FuzzParse(f *testing.F) {
	for _, text := range replies(f) {
		f.Add(text, byte(hash(text)))
	}
	f.Fuzz(func(t *testing.T, text string, m byte) {
		r := parse.Parse(text, mode(m).options(), mode(m).finish())
		if fault := checkResult(text, r); fault != "" {
			t.Fatalf("%s\n%s", fault, dump(text, r))
		}
	})
}

var reasons = []parse.Reason{
	parse.ReasonEmpty, parse.ReasonUnfinishedThinking, parse.ReasonTruncated, parse.ReasonMalformed,
	parse.ReasonBadArgs, parse.ReasonDuplicateKey, parse.ReasonAmbiguous, parse.ReasonSchemaEcho,
	parse.ReasonReactConflict, parse.ReasonRepetition, parse.ReasonTooDeep, parse.ReasonTooLarge,
}

func checkResult(text string, r parse.Result) string {
	switch {
	case r.Outcome == parse.Calls && len(r.Calls) == 0:
		return "outcome Calls without a call"
	case r.Outcome != parse.Calls && len(r.Calls) > 0:
		return "calls beside another outcome"
	case r.Outcome == parse.Unparseable && r.Problem == nil:
		return "unparseable without a problem"
	case r.Outcome != parse.Unparseable && r.Problem != nil:
		return "a problem beside a usable outcome"
	case r.Outcome == parse.Final && strings.TrimSpace(r.Text) == "":
		return "final without text"
	case r.Problem != nil && !slices.Contains(reasons, r.Problem.Reason):
		return fmt.Sprintf("reason %q is not of the list", r.Problem.Reason)
	case r.Problem != nil && r.Problem.Expected == "":
		return "a problem without what was expected"
	case r.Problem != nil && (r.Problem.Offset < 0 || r.Problem.Offset > len(text)):
		return fmt.Sprintf("offset %d is outside the reply", r.Problem.Offset)
	}
	for _, calls := range [][]parse.Call{r.Calls, r.Void} {
		at := 0
		for _, c := range calls {
			if fault := checkCall(text, c); fault != "" {
				return fmt.Sprintf("call %s%s: %s", c.Name, c.Args, fault)
			}
			if c.Span.Start < at {
				return fmt.Sprintf("call %s at %v overlaps the one before", c.Name, c.Span)
			}
			at = c.Span.End
		}
	}
	at := 0
	for _, d := range r.Dropped {
		if d.Span.Start < at || d.Span.End <= d.Span.Start || d.Span.End > len(text) || d.Reason == "" {
			return fmt.Sprintf("dropped span %v %q", d.Span, d.Reason)
		}
		at = d.Span.End
	}
	return ""
}

func checkCall(text string, c parse.Call) string {
	args := jsontext.Value(c.Args)
	switch {
	case c.Name == "":
		return "no name"
	case args.Kind() != '{' || !args.IsValid(): // strict: UTF-8, unique keys
		return "arguments are no valid object"
	case !isCompact(c.Args):
		return "arguments are not canonical"
	case c.Span.Start < 0 || c.Span.End <= c.Span.Start || c.Span.End > len(text):
		return fmt.Sprintf("span %v is outside the reply", c.Span)
	case c.Dialect == "":
		return "no dialect"
	case !reflect.DeepEqual(c.Values(), values(c.Args)):
		return fmt.Sprintf("the values %v", c.Values())
	}
	for _, r := range c.Repairs {
		if r.Code == "" || r.Offset < 0 || r.Offset > len(text) {
			return fmt.Sprintf("repair %q at %d", r.Code, r.Offset)
		}
	}
	return ""
}

// values are decoded arguments as Values promises them.
func values(args []byte) (v map[string]any) {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func isCompact(args []byte) bool {
	var b bytes.Buffer
	return json.Compact(&b, args) == nil && bytes.Equal(b.Bytes(), args)
}

// stretched is the mode bit for a text in which a few bytes are repeated until they reach
// beyond one of the limits that the package names: no fuzzer gets there by itself.
const stretched mode = 1 << 6

// limits are those limits, and sizes of windows, in bytes.
var limits = []int{8, 16, 64, 256, 512, 1 << 10, 4 << 10, 8 << 10}

// stretch returns the text that the mode asks for.
func (m mode) stretch(text string, seed uint64) string {
	if m&stretched == 0 || text == "" {
		return text
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1 + r.IntN(3) {
		at, limit := r.IntN(len(text)), limits[r.IntN(len(limits))]
		unit := text[at:min(len(text), at+1+r.IntN(3))]
		n := (limit - 4 + r.IntN(12)) / len(unit)
		text = text[:at] + strings.Repeat(unit, n) + text[at:]
	}
	return text
}

// FuzzStream: however a reply is cut into pieces, the result is the same, and so
// are the events once neighbouring text is joined.
func FuzzStream(f *testing.F) {
	for _, text := range replies(f) {
		f.Add(text, byte(hash(text))&^byte(stretched), hash(text))
		if hash(text)%8 == 0 { // they are long
			f.Add(text, byte(hash(text))|byte(stretched), hash(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string, m byte, cuts uint64) {
		text = mode(m).stretch(text, cuts)
		s := parse.NewScanner(mode(m).options())
		want, events := feed(s, mode(m).finish(), []string{text})
		s.Reset()
		pieces := cut(text, cuts)
		got, es := feed(s, mode(m).finish(), pieces)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("pieces %q read differently\nwhole:\n%s\npieces:\n%s", pieces, dump(text, want), dump(text, got))
		}
		if !reflect.DeepEqual(es, events) {
			t.Fatalf("pieces %q give other events\nwhole:  %s\npieces: %s", pieces, eventsLine(events), eventsLine(es))
		}
	})
}

// cut cuts text into pieces of 1 to 8 bytes, their sizes taken from the bits of
// seed in a cycle.
func cut(text string, seed uint64) []string {
	var pieces []string
	for len(text) > 0 {
		n := min(int(seed&7)+1, len(text))
		pieces, text = append(pieces, text[:n]), text[n:]
		seed = seed>>3 | seed<<61
	}
	return pieces
}

// feed reads a reply in pieces and joins neighbouring events of text, of thinking
// and of one dropped thing.
func feed(s *parse.Scanner, f parse.Finish, pieces []string) (parse.Result, []parse.Event) {
	var events []parse.Event
	add := func(more []parse.Event) {
		for _, e := range more {
			if n := len(events); n > 0 && joins(events[n-1], e) {
				events[n-1].Span.End = e.Span.End
				events[n-1].Text += e.Text
				continue
			}
			events = append(events, e)
		}
	}
	for _, piece := range pieces {
		add(s.Feed(piece))
	}
	r := s.Close(f)
	add(s.Rest())
	return r, events
}

func joins(a, b parse.Event) bool {
	piecewise := a.Kind == parse.EventText || a.Kind == parse.EventThinking || a.Kind == parse.EventDrop
	return piecewise && a.Kind == b.Kind && a.Reason == b.Reason && a.Span.End == b.Span.Start
}

// FuzzSpans: the spans of the events are adjacent and cover the reply; texts are
// those of their spans, cut between runes; what is no
// call and not dropped is the text or the thinking of the result; and the bytes
// of a call, read alone, are that call.
func FuzzSpans(f *testing.F) {
	for _, text := range replies(f) {
		f.Add(text, byte(hash(text))&^byte(stretched), hash(text))
		if hash(text)%8 == 0 { // they are long
			f.Add(text, byte(hash(text))|byte(stretched), hash(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string, m byte, cuts uint64) {
		text = mode(m).stretch(text, cuts)
		s := parse.NewScanner(mode(m).options())
		at, told, retracted := 0, map[parse.EventKind]string{}, false
		check := func(events []parse.Event) {
			for _, e := range events {
				told[e.Kind] += e.Text
				retracted = retracted || e.Kind == parse.EventRetract
				if e.Kind == parse.EventRetract || e.Kind == parse.EventStop {
					continue
				}
				if fault := checkEvent(text, at, e); fault != "" {
					t.Fatalf("%s\n%q", fault, text)
				}
				at = e.Span.End
			}
		}
		for _, piece := range cut(text, cuts) {
			check(s.Feed(piece))
		}
		r := s.Close(mode(m).finish())
		if check(s.Rest()); at != len(text) {
			t.Fatalf("the events end at %d of %d\n%s", at, len(text), dump(text, r))
		}
		if fault := lost(text, r); fault != "" {
			t.Fatalf("%s\n%s", fault, dump(text, r))
		}
		pseudo := func(d parse.Dropped) bool { return d.Reason == "pseudo-call" }
		if !retracted && !slices.ContainsFunc(r.Dropped, pseudo) &&
			(told[parse.EventThinking] != r.Thinking || strings.TrimSpace(told[parse.EventText]) != strings.TrimSpace(r.Text)) {
			t.Fatalf("told is text %q, thinking %q\n%s", told[parse.EventText], told[parse.EventThinking], dump(text, r))
		}
		if r.Thinking == "" && len(r.Calls)+len(r.Void)+len(r.Dropped) == 0 && r.Text != text {
			t.Fatalf("the text is changed\n%s", dump(text, r))
		}
		for _, c := range slices.Concat(r.Calls, r.Void) {
			if fault := readAlone(text[c.Span.Start:c.Span.End], mode(m).options(), c); fault != "" {
				t.Fatalf("%s\n%s", fault, dump(text, r))
			}
		}
	})
}

func checkEvent(text string, at int, e parse.Event) string {
	if e.Span.Start != at || e.Span.End <= at || e.Span.End > len(text) {
		return fmt.Sprintf("event span %v does not follow %d", e.Span, at)
	}
	if e.Kind != parse.EventText && e.Kind != parse.EventThinking {
		return ""
	}
	if e.Text != text[e.Span.Start:e.Span.End] {
		return fmt.Sprintf("text %q is not that of its span %v", e.Text, e.Span)
	}
	if utf8.ValidString(text) && !utf8.ValidString(e.Text) {
		return fmt.Sprintf("text %q is cut in a rune", e.Text)
	}
	return ""
}

// lost compares the bytes between the spans of r with its text and thinking, white
// space aside. The text of an answer that came as a call of a pseudo tool stands
// nowhere as such.
func lost(text string, r parse.Result) string {
	var spans []parse.Span
	for _, c := range slices.Concat(r.Calls, r.Void) {
		spans = append(spans, c.Span)
	}
	for _, d := range r.Dropped {
		if d.Reason == "pseudo-call" {
			return ""
		}
		spans = append(spans, d.Span)
	}
	slices.SortFunc(spans, func(a, b parse.Span) int { return a.Start - b.Start })
	rest, at := "", 0
	for _, s := range spans {
		if s.Start < at {
			return fmt.Sprintf("span %v overlaps the one before", s)
		}
		rest += text[at:s.Start]
		at = s.End
	}
	rest += text[at:]
	dense := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if r.Thinking == "" && dense(rest) != dense(r.Text) || len(dense(rest)) != len(dense(r.Text+r.Thinking)) {
		return fmt.Sprintf("left over is %q", rest)
	}
	return ""
}

// readAlone reads the bytes of a call without the rest of its reply. What counts
// only inside a hard marker is read in one, a call whose name is the info string
// of a fence in one, and a call whose closers were written as a tag or token has
// lost its end.
func readAlone(text string, o parse.Options, want parse.Call) string {
	if slices.ContainsFunc(want.Repairs, func(r parse.Repair) bool { return r.Code == parse.RepairMissingCloser }) {
		return ""
	}
	o.InThought, o.ExpectJSON = false, false
	for _, s := range []string{text, "<tool_call>" + text + "</tool_call>", "```" + text + "\n```"} {
		r := parse.Parse(s, o, parse.FinishStop)
		if len(r.Calls) == 1 && r.Calls[0].Name == want.Name && bytes.Equal(r.Calls[0].Args, want.Args) {
			return ""
		}
	}
	return fmt.Sprintf("%q alone is not the call %s%s", text, want.Name, want.Args)
}

// FuzzRender: a rendered call reads back as the same call, in each dialect that
// is written.
func FuzzRender(f *testing.F) {
	f.Add(byte(0), `{"expr":"1+1"}`)
	f.Add(byte(1), `{"city":"Bodø \"x\" </tool_call> {","days":2}`)
	f.Add(byte(2), `{"path":"a\\b","body":"line\nline\t<think>`+"```"+`<|im_end|>"}`)
	f.Add(byte(3), `{}`)
	f.Add(byte(4), `{"a":[1.50,{"b":null}],"":true}`)
	f.Fuzz(func(t *testing.T, which byte, args string) {
		v := jsontext.Value(args)
		if v.Kind() != '{' || !v.IsValid() || v.Compact() != nil || depth(args) > 50 {
			return
		}
		o := parse.Options{Tools: parseTools}
		want := parse.Call{Name: parseTools[int(which)%len(parseTools)].Name, Args: json.RawMessage(v)}
		for _, d := range []parse.Dialect{"", parse.DialectHermes, parse.DialectPythonic, parse.DialectReAct} {
			text := parse.Render(want, d)
			r := parse.Parse(text, o, parse.FinishStop)
			if r.Outcome != parse.Calls || len(r.Calls) != 1 || r.Calls[0].Name != want.Name || len(r.Calls[0].Repairs) > 0 ||
				!sameTokens(r.Calls[0].Args, want.Args) {
				t.Fatalf("%s%s, rendered as %q, reads back as\n%s", want.Name, want.Args, d, dump(text, r))
			}
		}
	})
}

// FuzzPrefix: a call that stands in a prefix of a reply stands, equal, in the
// whole reply, unless the whole shows that all of it was thought.
func FuzzPrefix(f *testing.F) {
	for _, text := range replies(f) {
		for _, at := range []int{len(text) / 2, len(text) - 1, int(hash(text) % uint64(len(text)+1))} {
			f.Add(text, byte(hash(text))&^byte(stretched), at)
		}
		if hash(text)%8 == 0 { // they are long
			f.Add(text, byte(hash(text))|byte(stretched), len(text)/2)
		}
	}
	f.Fuzz(func(t *testing.T, text string, m byte, at int) {
		if at < 0 || at > len(text) {
			return
		}
		from := float64(at) / float64(max(len(text), 1))
		text = mode(m).stretch(text, uint64(at))
		at = int(from * float64(len(text)))
		o := mode(m).options()
		whole, events := feed(parse.NewScanner(o), mode(m).finish(), []string{text})
		for _, e := range events {
			if e.Kind == parse.EventRetract {
				return
			}
		}
		kept := slices.Concat(whole.Calls, whole.Void)
		var calls []parse.Call
		s := parse.NewScanner(o)
		for _, e := range s.Feed(text[:at]) {
			if e.Kind == parse.EventCall {
				calls = append(calls, *e.Call)
			}
		}
		for _, c := range append(calls, s.Close(parse.FinishLength).Calls...) {
			if !slices.ContainsFunc(kept, func(k parse.Call) bool { return sameCall(k, c) }) {
				t.Fatalf("call %s%s of the prefix %q is lost in the whole\n%s", c.Name, c.Args, text[:at], dump(text, whole))
			}
		}
	})
}

func sameCall(a, b parse.Call) bool {
	return a.Name == b.Name && a.Span == b.Span && bytes.Equal(a.Args, b.Args)
}

// FuzzStrict: where the arguments are valid JSON, the call is read as they are,
// without a repair; and what is read without a repair is valid JSON. The judge
// is another reader.
func FuzzStrict(f *testing.F) {
	for _, args := range []string{
		`{}`, `{"a":1}`, `{"a":-0.0e+9,"b":"\ud83d\ude00\n"}`, `{"a":[1,{"b":null}],"c":true}`, ` { "a" : "b" } `,
		`{"a":01}`, `{"a":1,}`, `{'a':1}`, `{"a":"\x"}`, `{"a":1 /**/}`, `{"a":1,"a":2}`, `{"a":"\ud83d"}`, "{\"a\":\"\xff\"}", `{"a":NaN}`, `[1]`, `1`,
	} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		text := `{"tool":"echo","args":` + args + `}`
		r := parse.Parse(text, parse.Options{Tools: parseTools}, parse.FinishStop)
		object := jsontext.Value(args).Kind() == '{' && depth(args) < 50
		whole := jsontext.Value(text)
		if object && jsontext.Value(args).IsValid() && whole.IsValid() {
			if len(r.Calls) != 1 || len(r.Calls[0].Repairs) > 0 || !sameTokens(r.Calls[0].Args, []byte(args)) {
				t.Fatalf("valid JSON is read otherwise\n%s", dump(text, r))
			}
		}
		for _, c := range r.Calls {
			if span := text[c.Span.Start:c.Span.End]; len(c.Repairs) == 0 && strings.HasPrefix(span, "{") &&
				!jsontext.Value(span).IsValid(jsontext.AllowDuplicateNames(true)) {
				t.Fatalf("%q is no valid JSON, but no repair is told\n%s", span, dump(text, r))
			}
		}
	})
}

// sameTokens compares two JSON texts: order and digits count, white space and
// the spelling of strings do not.
func sameTokens(a, b []byte) bool {
	x, y := jsontext.NewDecoder(bytes.NewReader(a)), jsontext.NewDecoder(bytes.NewReader(b))
	for {
		s, errA := x.ReadToken()
		t, errB := y.ReadToken()
		if errA != nil || errB != nil {
			return errA == errB
		}
		if s.Kind() != t.Kind() || s.String() != t.String() {
			return false
		}
	}
}

// depth is an upper bound of the nesting of a JSON text.
func depth(s string) int { return strings.Count(s, "{") + strings.Count(s, "[") }

func dump(text string, r parse.Result) string {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		b = fmt.Appendf(nil, "%+v", r)
	}
	return fmt.Sprintf("text %q\n%s", text, b)
}

func eventsLine(events []parse.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, " %d%v", e.Kind, e.Span)
	}
	return b.String()
}

// FuzzDefuse: text that the model did not write comes back from its defused
// form, and that form holds no marker.
func FuzzDefuse(f *testing.F) {
	for _, text := range replies(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := parse.Defuse(text)
		if back := parse.Restore(safe); back != text {
			t.Fatalf("%q is defused to %q and restored to %q", text, safe, back)
		}
		for _, marker := range []string{"<tool_call>", "</tool_call>", "<|im_end|>", "<|im_start|>", "[TOOL_CALLS]", "<think>", "</think>",
			"<|python_tag|>", "<tool_response>", "<|channel|>", "<end_of_turn>", "</s>"} {
			if strings.Contains(safe, marker) {
				t.Fatalf("%q still holds %s", safe, marker)
			}
		}
	})
}
