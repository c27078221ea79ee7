package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// clock is a time that goes on by a second each time it is asked for.
func clock() func() time.Time {
	t := time.Date(2026, 11, 29, 19, 24, 0, 0, time.UTC)
	return func() time.Time {
		t = t.Add(time.Second)
		return t
	}
}

// calc is a call of a run, as short as can be.
func calc(id, expr string) loop.Call {
	args, _ := json.Marshal(map[string]string{"expr": expr})
	return loop.Call{ID: id, Name: "calc", Args: args}
}

func ptr[T any](v T) *T { return &v }

// TestLines says what stands on the line of each event, the head apart.
func TestLines(t *testing.T) {
	reading := parse.Result{
		Outcome: parse.Calls, Text: "Well:", Thinking: "hm",
		Calls: []parse.Call{{
			Name: "calc", Args: json.RawMessage(`{"expr":"1+1"}`), Span: parse.Span{Start: 5, End: 40},
			Dialect: "json", Marked: true, Repairs: []parse.Repair{{Code: "trailing-comma", Offset: 30}},
		}},
		Dropped: []parse.Dropped{{Span: parse.Span{Start: 40, End: 44}, Reason: "token"}},
	}
	cut := parse.Result{
		Void:    []parse.Call{{Name: "calc", Args: json.RawMessage(`{}`), Span: parse.Span{End: 3}}},
		Problem: &parse.Problem{Reason: parse.ReasonTruncated, Offset: 9, Expected: "}", Found: "the end"},
	}
	for _, tt := range []struct {
		name  string
		event loop.Event
		want  []string // after the head
	}{
		{"start", loop.RunStarted{
			Window: 8192,
			Options: parse.Options{InThought: true, ExpectJSON: true, Tools: []parse.Tool{
				{Name: "calc", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "now"},
			}},
		}, []string{`init "session":"ab12","version":"1.0","model":"gemma3:4b","digest":"sha256:00","host":"http://x","dialect":"json","num_ctx":8192,"window":8192,"tools":["calc","now"],"cwd":"/w","approve":"ask","schemas":{"calc":{"type":"object"}},"in_thought":true,"expect_json":true`}},
		{"task", loop.UserMessage{Text: "a <b> & \"c\"\n", Kind: "task"},
			[]string{`message "role":"user","kind":"task","content":"a <b> & \"c\"\n"`}},
		{"no UTF-8", loop.UserMessage{Text: "a\xff\xfeb", Kind: "steer"},
			[]string{`message "role":"user","kind":"steer","content":"a��b","raw_base64":"Yf/+Yg=="`}},
		{"loading", loop.Loading{}, nil},
		{"text", loop.TextDelta{Text: "Hel"}, []string{`text "delta":"Hel"`}},
		{"thinking", loop.ThinkingDelta{Text: "hm"}, []string{`thinking "delta":"hm"`}},
		{"retracted", loop.Retracted{}, []string{`retract`}},
		{"reply", loop.Replied{
			Raw: "Well:{…}", Finish: parse.FinishStop, Reading: reading, Usage: loop.Usage{PromptTokens: 9, OutputTokens: 3, Eval: 1500 * time.Microsecond},
			Calls: []loop.Call{{ID: "1.1", Name: "calc", Args: json.RawMessage(`{"expr":"1+1"}`), Dialect: "json", Repaired: true, Echo: true}},
		}, []string{
			`message "role":"assistant","content":"Well:{…}","finish":"stop","usage":{"prompt_tokens":9,"output_tokens":3,"load_ms":0,"eval_ms":1}`,
			`parse "kind":"call","dialect":"json","calls":[{"id":"1.1","name":"calc","args":{"expr":"1+1"},"dialect":"json","repaired":true,"echo":true,"start":5,"end":40,"marked":true,"repairs":[{"code":"trailing-comma","offset":30}]}],"repairs":[{"code":"trailing-comma","offset":30}],"leftovers":[{"start":40,"end":44,"reason":"token"}],"text":"Well:","thinking":"hm"`,
		}},
		{"cut reply", loop.Replied{Raw: "{", Finish: parse.FinishLength, Aborted: true, Reading: cut}, []string{
			`message "role":"assistant","content":"{","finish":"length","aborted":true,"usage":{"prompt_tokens":0,"output_tokens":0,"load_ms":0,"eval_ms":0}`,
			`parse "kind":"unparseable","void":[{"id":"","name":"calc","args":{},"start":0,"end":3}],"problem":{"reason":"truncated","offset":9,"expected":"}","found":"the end"}`,
		}},
		{"call that runs", loop.ToolStarted{Call: calc("1.1", "1<2")},
			[]string{`tool_use "id":"1.1","name":"calc","args":{"expr":"1\u003c2"}`}},
		{"its result", loop.ToolEnded{Call: calc("1.1", "1<2"), Result: tools.Result{
			ID: "1.1", Name: "calc", Status: tools.OK, Text: "true", Truncated: true, Digest: "d", Coerced: []string{"n"},
			ExitCode: ptr(0), Diff: "-a\n+b", Elapsed: 12 * time.Millisecond,
		}}, []string{`tool_result "id":"1.1","name":"calc","status":"ok","output":"true","truncated":true,"digest":"d","coerced":["n"],"exit_code":0,"diff":"-a\n+b","duration_ms":12`}},
		{"call that does not run", loop.ToolEnded{Call: calc("1.2", "2"), Result: tools.Result{
			ID: "1.2", Name: "calc", Status: tools.Skipped, Text: "\xff",
		}}, []string{
			`tool_use "id":"1.2","name":"calc","args":{"expr":"2"},"unstarted":true`,
			`tool_result "id":"1.2","name":"calc","status":"skipped","output":"�","output_base64":"/w==","duration_ms":0`,
		}},
		{"approval", loop.Asked{Call: calc("1.1", ""), Decision: loop.Permission{Verdict: loop.Rejected, By: "user", Reason: "no"}},
			[]string{`approval "id":"1.1","name":"calc","decision":"rejected","by":"user","reason":"no"`}},
		{"fresh retry", loop.FreshRetry{Attempt: 2, Schema: true, Problem: *cut.Problem},
			[]string{`retry "kind":"reply","attempt":2,"reason":"truncated","offset":9,"expected":"}","found":"the end","schema":true`}},
		{"model retry", loop.ModelRetry{Retry: loop.Retry{Attempt: 1, Delay: time.Second, Err: errors.New("busy")}},
			[]string{`retry "kind":"model","attempt":1,"delay_ms":1000,"message":"busy"`}},
		{"compacted", loop.Compacted{Tier: "snip", Before: 900, After: 300, Entries: []loop.Entry{
			{Role: loop.User, Kind: "task", Text: "t"},
			{Role: loop.Assistant, Kind: "reply", Text: "r", Calls: []loop.Call{calc("1.1", "")}},
			{Role: loop.User, Kind: "results", Results: []tools.Result{{ID: "1.1", Name: "calc", Status: tools.OK, Text: "x"}}},
		}}, []string{`compact "tier":"snip","before":900,"after":300,"entries":[{"role":"user","kind":"task","content":"t"},{"role":"assistant","kind":"reply","content":"r","calls":[{"id":"1.1","name":"calc","args":{"expr":""}}]},{"role":"user","kind":"results","content":"","results":[{"id":"1.1","name":"calc","status":"ok","output":"x","duration_ms":0}]}]`}},
		{"warning", loop.Warned{Code: "c", Text: "t"}, []string{`warning "code":"c","message":"t"`}},
		{"step", loop.StepEnded{State: loop.State{Step: 1, Continue: "calls", Calls: 2, Failures: 1, Window: 8192, Tokens: 50, Suspended: []loop.Call{calc("1.3", "")}}},
			[]string{`step "continue":"calls","calls":2,"failures":1,"retries":0,"repairs":0,"cuts":0,"compactions":0,"suspended":[{"id":"1.3","name":"calc","args":{"expr":""}}],"usage":{"prompt_tokens":0,"output_tokens":0,"load_ms":0,"eval_ms":0},"window":8192,"tokens":50,"total":0`}},
		{"answer", loop.RunEnded{Result: &loop.Result{Stop: loop.StopFinal, Answer: "4", State: loop.State{Step: 2, Calls: 1, Repairs: 1}}},
			[]string{`result "status":"success","exit_code":0,"stop":"final","answer":"4","steps":2,"total":0,"tool_calls":1,"repairs":1,"usage":{"prompt_tokens":0,"output_tokens":0,"load_ms":0,"eval_ms":0},"duration_ms":0,"session":"ab12"`}},
		{"failure", loop.RunEnded{Result: &loop.Result{Stop: loop.StopUnparseable, Raw: "{", Err: errors.New("no"), Advice: "Try.", Refused: 1}}, []string{
			`error "code":"unparseable","message":"no","retryable":true`,
			`result "status":"error","exit_code":5,"stop":"unparseable","answer":"","raw":"{","advice":"Try.","error":"no","steps":0,"total":0,"tool_calls":0,"repairs":0,"refused":1,"usage":{"prompt_tokens":0,"output_tokens":0,"load_ms":0,"eval_ms":0},"duration_ms":0,"session":"ab12"`,
		}},
		{"no result", loop.RunEnded{},
			[]string{`result "status":"error","exit_code":1,"stop":"","answer":"","steps":0,"total":0,"tool_calls":0,"repairs":0,"usage":{"prompt_tokens":0,"output_tokens":0,"load_ms":0,"eval_ms":0},"duration_ms":0,"session":"ab12"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			e := &Encoder{W: &out, Now: clock(), Header: Header{
				Session: "ab12", Version: "1.0", Model: "gemma3:4b", Digest: "sha256:00",
				Host: "http://x", Dialect: "json", CWD: "/w", Approve: "ask",
			}}
			if ev, ok := tt.event.(loop.ToolEnded); ok && ev.Result.Status == tools.OK {
				e.used = map[string]bool{ev.Call.ID: true}
			}
			if err := e.Encode(tt.event); err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(out.String()) {
				got = append(got, headless(t, line))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// headless checks the head of a line and returns its type and the rest.
func headless(t *testing.T, line string) string {
	t.Helper()
	var h head
	if err := json.Unmarshal([]byte(line), &h); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if _, err := time.Parse(time.RFC3339, h.TS); h.V != 1 || h.Seq < 1 || err != nil {
		t.Errorf("head of %s", line)
	}
	_, rest, ok := strings.Cut(line, `,"step":0`)
	if !ok || !strings.HasSuffix(rest, "}\n") {
		t.Fatalf("not a line: %s", line)
	}
	return strings.TrimSpace(h.Type + " " + strings.TrimPrefix(strings.TrimSuffix(rest, "}\n"), ","))
}

func TestHead(t *testing.T) {
	var out strings.Builder
	e := &Encoder{W: &out, Now: clock()}
	for _, ev := range []loop.Event{
		loop.UserMessage{Text: "a"},
		loop.StepStarted{Step: 1},
		loop.TextDelta{Text: "b"},
		loop.StepStarted{Step: 2},
		loop.TextDelta{Text: "c"},
		loop.StepEnded{},
		loop.RunStarted{},
		loop.UserMessage{Text: "d"},
	} {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, line[:strings.Index(line, `"step":`)+8])
	}
	want := []string{
		`{"v":1,"type":"message","seq":1,"ts":"2026-11-29T19:24:01.000Z","step":0`,
		`{"v":1,"type":"text","seq":2,"ts":"2026-11-29T19:24:02.000Z","step":1`,
		`{"v":1,"type":"text","seq":3,"ts":"2026-11-29T19:24:03.000Z","step":2`,
		`{"v":1,"type":"step","seq":4,"ts":"2026-11-29T19:24:04.000Z","step":2`,
		`{"v":1,"type":"init","seq":5,"ts":"2026-11-29T19:24:06.000Z","step":0`,
		`{"v":1,"type":"message","seq":6,"ts":"2026-11-29T19:24:07.000Z","step":0`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is left out takes no seq, so a reader can tell that nothing was lost.
func TestKeep(t *testing.T) {
	var out bytes.Buffer
	e := &Encoder{W: &out, Keep: inLog}
	for _, ev := range []loop.Event{
		loop.UserMessage{}, loop.TextDelta{}, loop.Retracted{}, loop.ThinkingDelta{}, loop.Warned{},
	} {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for l, err := range Lines(&out) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.Type)
		if l.Seq != len(got) {
			t.Errorf("%s has seq %d, expecting %d", l.Type, l.Seq, len(got))
		}
	}
	if d := cmp.Diff([]string{typeMessage, typeWarning}, got); d != "" {
		t.Error(d)
	}
}

// Whatever a hook puts into a call, the line is JSON and is UTF-8.
func TestBadArguments(t *testing.T) {
	for args, want := range map[string]string{
		``:                 `{}`,
		`{"a":`:            `"{\"a\":"`,
		"{\"a\":\"\xff\"}": `{"a":"�"}`,
		`{"a": 1}`:         `{"a":1}`,
	} {
		var out strings.Builder
		e := &Encoder{W: &out}
		if err := e.Encode(loop.ToolStarted{Call: loop.Call{ID: "1.1", Name: "f", Args: json.RawMessage(args)}}); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if !strings.Contains(out.String(), `"args":`+want+"}") {
			t.Errorf("%q: %s, expecting %s", args, out.String(), want)
		}
	}
}

// limitedWriter takes n bytes and then fails: a full disk.
type limitedWriter struct {
	n   int
	err error
	out bytes.Buffer
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.n)
	w.n -= n
	w.out.Write(p[:n])
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestWriteErrorsStay(t *testing.T) {
	full := errors.New("no space left")
	for _, tt := range []struct {
		name string
		w    *limitedWriter
		want error
	}{
		{"full disk", &limitedWriter{n: 50, err: full}, full},
		{"short write without an error", &limitedWriter{n: 50}, io.ErrShortWrite},
	} {
		e := &Encoder{W: tt.w}
		if err := e.Encode(loop.UserMessage{Text: strings.Repeat("x", 100)}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, expecting %v", tt.name, err, tt.want)
		}
		before := tt.w.out.Len()
		tt.w.n = 1000
		if err := e.Encode(loop.UserMessage{}); !errors.Is(err, tt.want) || tt.w.out.Len() != before {
			t.Errorf("%s: the next write returned %v", tt.name, err)
		}
	}
}

// A line that a reader would not take is not written.
func TestLineLimit(t *testing.T) {
	var out bytes.Buffer
	e := &Encoder{W: &out, limit: 1000}
	if err := e.Encode(loop.UserMessage{Text: strings.Repeat("x", 800)}); err != nil {
		t.Error(err)
	}
	before := out.Len()
	if err := e.Encode(loop.UserMessage{Text: strings.Repeat("x", 1000)}); err == nil || out.Len() > before {
		t.Errorf("%v, %d bytes written", err, out.Len()-before)
	}
}
