package fuzz_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// FuzzSession: a log of any runs reads back as the events that were written
// and the conversation they make; cut at any byte, it loses only the line that
// was torn, and what is left can be gone on from.
func FuzzSession(f *testing.F) {
	for _, s := range sessionScripts() {
		f.Add(s, uint(len(s)))
	}
	f.Fuzz(func(t *testing.T, script []byte, cut uint) {
		events, want := runsOf(script)
		log := encodeLog(t, events)
		if d := cmp.Diff(logged(events), readEvents(t, log), eventOptions); d != "" {
			t.Fatalf("events (-written +read):\n%s", d)
		}
		got, torn, err := session.Read(bytes.NewReader(log))
		if err != nil || torn != 0 {
			t.Fatalf("torn %d, %v", torn, err)
		}
		if d := cmp.Diff(want.Entries, got.Entries, eventOptions); d != "" {
			t.Fatalf("conversation (-made +read):\n%s", d)
		}
		checkPrefix(t, log, int(cut%uint(len(log)+1)))
	})
}

// FuzzSessionBytes: no bytes make a reader of logs panic, and what it makes of
// them is a conversation.
func FuzzSessionBytes(f *testing.F) {
	for _, s := range sessionScripts() {
		events, _ := runsOf(s)
		f.Add(encodeLog(f, events))
	}
	f.Add([]byte(`{"v":1,"type":"message","role":"assistant","content":"x"}` + "\n" +
		`{"v":1,"type":"parse","kind":"call","calls":[{"id":"1.1","start":-1,"end":9}],"leftovers":[{"start":-1,"end":9,"reason":"invented-result"}]}` + "\n"))
	f.Add([]byte("{\"v\":1,\"type\":\"compact\",\"entries\":[{\"role\":\"assistant\",\"calls\":[{}]},{\"role\":\"x\"}]}\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		tr, torn, err := session.Read(bytes.NewReader(log))
		if err != nil && !errors.Is(err, session.ErrVersion) {
			t.Fatal(err)
		}
		if err == nil && torn != len(log)-(bytes.LastIndexByte(log, '\n')+1) {
			t.Fatalf("torn %d", torn)
		}
		checkGoesOn(t, tr)
		for r, err := range session.Replay(bytes.NewReader(log)) {
			if err == nil && r.Run == 0 && r.Step < 0 {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// FuzzSessionRun: whatever happens in a run, its log reads back as the
// conversation that the run had, and any prefix of it can be gone on from.
func FuzzSessionRun(f *testing.F) {
	for _, s := range sessionScripts() {
		f.Add(s, uint(len(s)))
	}
	f.Fuzz(func(t *testing.T, script []byte, cut uint) {
		var log bytes.Buffer
		e := session.Encoder{W: &log}
		m := &playedModel{stage: stage{script: script}}
		a := loop.Agent{Model: m, Tools: m.tools(), Window: 1200, MaxSteps: 30, Record: e.Encode}
		talk := &loop.Transcript{}
		for range 2 {
			var ctx context.Context
			ctx, m.cancel = context.WithCancel(context.Background())
			defer m.cancel()
			if res := a.Run(ctx, talk, loop.Prompt{Text: "do " + m.text()}); res.Stop == "" {
				t.Fatalf("a run ended without a reason: %+v", res)
			}
		}
		got, torn, err := session.Read(bytes.NewReader(log.Bytes()))
		if err != nil || torn != 0 {
			t.Fatalf("torn %d, %v", torn, err)
		}
		if d := cmp.Diff(talk.Entries, got.Entries, eventOptions, untimed); d != "" {
			t.Fatalf("conversation (-had +read):\n%s", d)
		}
		checkPrefix(t, log.Bytes(), int(cut%uint(log.Len()+1)))
	})
}

// untimed leaves out of a result what is not the same each time.
var untimed = cmpopts.IgnoreFields(tools.Result{}, "Elapsed")

// A playedModel answers as a script says: calls, text, half replies, failures.
type playedModel struct {
	stage
	cancel context.CancelFunc
}

func (m *playedModel) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		text := fmt.Sprintf(`{"tool":"work","args":{"how":%d,"n":%d}}`, m.pick(6), len(m.script))
		finish := parse.FinishStop
		switch m.pick(12) {
		case 0:
			text = "answer " + m.text()
		case 1:
			text = text[:len(text)-m.pick(8)]
		case 2:
			finish = parse.FinishLength
		case 3:
			yield(loop.Chunk{}, &loop.ModelError{Err: errors.New("no such model")})
			return
		case 4:
			text += "\n" + text
		case 5:
			text = m.text() + text + "\nObservation: " + m.text()
		case 6:
			m.cancel()
		case 7:
			if !yield(loop.Chunk{Calls: []parse.Call{{Name: "work", Args: json.RawMessage(`{"how":0,"n":-1}`)}}}, nil) {
				return
			}
		}
		for piece := range slices.Chunk([]byte(text), 7) {
			if ctx.Err() != nil {
				yield(loop.Chunk{}, ctx.Err())
				return
			}
			if !yield(loop.Chunk{Text: string(piece)}, nil) {
				return
			}
		}
		yield(loop.Chunk{Done: &loop.Done{Finish: finish}}, nil)
	}
}

// tools are one tool that does well or badly, as it is told.
func (m *playedModel) tools() *tools.Set {
	type work struct {
		How int `json:"how"`
		N   int `json:"n"`
	}
	return tools.NewSet(tools.New(tools.Tool{Name: "work"}, func(ctx context.Context, c tools.Call, in work) (string, error) {
		switch in.How {
		case 1:
			return "", errors.New("it failed")
		case 2:
			panic("it broke")
		case 3:
			return "bytes \xff\xfe that are no text", nil
		case 4:
			if in.N%7 == 0 {
				m.cancel()
			}
		}
		return strings.Repeat(fmt.Sprintln("result", in.N), 20), nil
	}))
}

// TestSessionPrefixes cuts a log at every byte.
func TestSessionPrefixes(t *testing.T) {
	events, _ := runsOf(sessionScripts()[2])
	log := encodeLog(t, events)
	for cut := range log {
		checkPrefix(t, log, cut)
	}
}

// sessionScripts are some scripts that differ, the same each time.
func sessionScripts() [][]byte {
	var scripts [][]byte
	for i := range 12 {
		s := make([]byte, 60+60*i)
		rand.NewChaCha8([32]byte{byte(i)}).Read(s)
		scripts = append(scripts, s)
	}
	return scripts
}

// The scripts must play every event there is, else the targets prove less than
// they say.
func TestSessionScripts(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range sessionScripts() {
		events, _ := runsOf(s)
		for _, ev := range events {
			seen[fmt.Sprintf("%T", ev)] = true
		}
	}
	for _, ev := range []loop.Event{
		loop.RunStarted{}, loop.UserMessage{}, loop.StepStarted{}, loop.Loading{}, loop.TextDelta{},
		loop.Replied{}, loop.ToolStarted{}, loop.ToolEnded{}, loop.Asked{}, loop.FreshRetry{},
		loop.ModelRetry{}, loop.Compacted{}, loop.Warned{}, loop.StepEnded{}, loop.RunEnded{},
	} {
		if !seen[fmt.Sprintf("%T", ev)] {
			t.Errorf("no script plays %T", ev)
		}
	}
}

func encodeLog(t testing.TB, events []loop.Event) []byte {
	var log bytes.Buffer
	e := session.Encoder{W: &log, Now: func() time.Time { return time.Unix(0, 0) }}
	e.Keep = func(typ string) bool { return typ != "text" && typ != "thinking" && typ != "retract" }
	for _, ev := range events {
		if err := e.Encode(ev); err != nil {
			t.Fatal(err)
		}
	}
	return log.Bytes()
}

func readEvents(t testing.TB, log []byte) []loop.Event {
	var events []loop.Event
	for ev, err := range session.Events(bytes.NewReader(log)) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}

// logged are the events that a log keeps.
func logged(events []loop.Event) []loop.Event {
	var kept []loop.Event
	for _, ev := range events {
		switch ev := ev.(type) {
		case loop.Loading, loop.TextDelta, loop.ThinkingDelta, loop.Retracted:
			continue
		case loop.StepStarted:
			ev.Tokens = 0
			kept = append(kept, ev)
			continue
		}
		kept = append(kept, ev)
	}
	return kept
}

var eventOptions = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
}

// checkPrefix checks that a log that was cut at a byte loses only the torn
// line, and can be gone on from.
func checkPrefix(t *testing.T, log []byte, cut int) {
	t.Helper()
	whole := bytes.LastIndexByte(log[:cut], '\n') + 1
	got, torn, err := session.Read(bytes.NewReader(log[:cut]))
	if err != nil || torn != cut-whole {
		t.Fatalf("cut at %d: torn %d, %v, expecting %d", cut, torn, err, cut-whole)
	}
	want, _, err := session.Read(bytes.NewReader(log[:whole]))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("cut at %d: a torn line changed the conversation:\n%s", cut, cmp.Diff(want, got))
	}
	checkResults(t, got)
	checkGoesOn(t, got)
}

// checkResults checks that every call has one result, in order, right behind
// its reply, and that there is no other.
func checkResults(t *testing.T, tr *loop.Transcript) {
	t.Helper()
	var want []string
	for i, e := range tr.Entries {
		var got []string
		for _, r := range e.Results {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("entry %d has results of %v, expecting %v", i, got, want)
		}
		want = nil
		for _, c := range e.Calls {
			want = append(want, c.ID)
		}
	}
	if want != nil {
		t.Fatalf("calls %v have no results", want)
	}
}

// checkGoesOn checks that a run can go on with a conversation: the model is
// asked once, roles alternate, and the user has the first and the last word.
func checkGoesOn(t *testing.T, tr *loop.Transcript) {
	t.Helper()
	m := &askedModel{}
	a := loop.Agent{Model: m, Window: 1 << 20}
	res := a.Run(context.Background(), tr, loop.Prompt{Text: "and now?"})
	if res.Stop != loop.StopFinal || m.asked == nil {
		t.Fatalf("the run does not go on: %s, %v", res.Stop, res.Err)
	}
	want := loop.User
	for i, msg := range m.asked {
		if i == 0 && msg.Role == loop.System {
			continue
		}
		if msg.Role != want {
			t.Fatalf("message %d is of the %s, expecting the %s", i, msg.Role, want)
		}
		if want = loop.User; msg.Role == loop.User {
			want = loop.Assistant
		}
	}
	if last := m.asked[len(m.asked)-1]; want != loop.Assistant || !strings.HasSuffix(last.Content, "and now?") {
		t.Fatalf("the last message is not the prompt: %q", last.Content)
	}
}

// askedModel answers "done." and remembers what it was asked.
type askedModel struct{ asked []loop.Message }

func (m *askedModel) Stream(ctx context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	return func(yield func(loop.Chunk, error) bool) {
		m.asked = req.Messages
		if yield(loop.Chunk{Text: "done."}, nil) {
			yield(loop.Chunk{Done: &loop.Done{Finish: parse.FinishStop}}, nil)
		}
	}
}

// runsOf makes runs of a script, as package loop would tell of them, and the
// conversation they make.
func runsOf(script []byte) ([]loop.Event, *loop.Transcript) {
	s := &stage{script: script, t: &loop.Transcript{}}
	for s.run(); len(s.script) > 0; s.run() {
	}
	return s.events, s.t
}

// A stage plays a script: its bytes decide what happens next and are the text
// that is said.
type stage struct {
	script []byte
	events []loop.Event
	t      *loop.Transcript
	step   int
	state  loop.State
}

// pick is a number below n; 0 when the script has ended.
func (s *stage) pick(n int) int {
	if len(s.script) == 0 {
		return 0
	}
	b := s.script[0]
	s.script = s.script[1:]
	return int(b) % n
}

// text is some bytes of the script, perhaps none and perhaps no UTF-8.
func (s *stage) text() string {
	n := min(s.pick(24), len(s.script))
	text := s.script[:n]
	s.script = s.script[n:]
	return string(text)
}

// word is text that is UTF-8.
func (s *stage) word() string { return string([]rune(s.text())) }

func (s *stage) emit(ev loop.Event) {
	s.events = append(s.events, ev)
	s.t.Apply(ev)
}

func (s *stage) run() {
	names := []string{"f", "g"}
	s.step, s.state = 0, loop.State{}
	s.emit(loop.RunStarted{Tools: names, Window: 1024 * s.pick(9), Options: parse.Options{
		InThought: s.pick(4) == 1,
		Tools:     []parse.Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}},
	}})
	s.emit(loop.UserMessage{Kind: "task", Text: "task " + s.text()})
	for stop := loop.Stop(""); stop == ""; {
		stop = s.oneStep()
		if stop != "" {
			s.end(stop)
		}
	}
}

func (s *stage) end(stop loop.Stop) {
	r := &loop.Result{Stop: stop, State: s.state, Answer: s.word(), Refused: s.pick(2)}
	if stop != loop.StopFinal {
		r.Err, r.Advice = errors.New("because "+s.word()), s.word()
	}
	s.emit(loop.RunEnded{Result: r})
}

// oneStep plays a step and returns why the run ends, "" if it goes on.
func (s *stage) oneStep() loop.Stop {
	s.step++
	s.emit(loop.StepStarted{Step: s.step, Tokens: s.pick(100)})
	s.before()
	stop := s.reply()
	s.state = loop.State{
		Step: s.step, Continue: "calls", Calls: s.state.Calls + s.pick(3), Tokens: s.pick(200),
		Usage: loop.Usage{PromptTokens: s.pick(99), Load: time.Duration(s.pick(9)) * time.Millisecond},
	}
	s.emit(loop.StepEnded{State: s.state})
	if stop == "" && len(s.script) == 0 {
		stop = loop.StopMaxSteps
	}
	return stop
}

// before is what may come before a reply.
func (s *stage) before() {
	switch s.pick(12) {
	case 1:
		s.emit(loop.Loading{})
	case 2:
		s.emit(loop.Warned{Code: "code", Text: s.word()})
	case 3:
		s.emit(loop.ModelRetry{Retry: loop.Retry{Attempt: 1, Delay: time.Second, Err: errors.New("busy")}})
	case 4:
		s.emit(loop.Replied{Raw: s.text(), Finish: parse.FinishLength, Reading: parse.Result{
			Problem: &parse.Problem{Reason: parse.ReasonTruncated, Offset: s.pick(40), Expected: s.word()},
		}})
		s.emit(loop.FreshRetry{Attempt: 1, Problem: parse.Problem{Reason: parse.ReasonTruncated, Found: s.word()}})
	case 5:
		s.compact()
	}
	for range s.pick(3) {
		s.emit(loop.TextDelta{Text: s.word()})
	}
}

// compact makes a summary of all but the task and the last two entries, unless
// that parted results from their reply.
func (s *stage) compact() {
	all := s.t.Entries
	n := len(all) - 2
	if n < 2 || all[n].Kind == "results" {
		return
	}
	entries := append([]loop.Entry{all[0], {Role: loop.User, Kind: "summary", Text: s.text()}}, all[n:]...)
	s.emit(loop.Compacted{Tier: "summarize", Before: 100, After: s.pick(100), Entries: entries})
}

func (s *stage) reply() loop.Stop {
	raw := "reply " + s.text()
	usage := loop.Usage{OutputTokens: s.pick(50), Eval: time.Duration(s.pick(50)) * time.Millisecond}
	switch s.pick(16) {
	case 0:
		s.emit(loop.Replied{
			Raw: raw, Finish: parse.FinishStop, Usage: usage,
			Reading: parse.Result{Outcome: parse.Final, Text: string([]rune(raw))},
		})
		return loop.StopFinal
	case 1:
		s.emit(loop.Replied{Raw: raw, Aborted: true, Reading: parse.Result{Outcome: parse.Final}})
		return loop.StopAbortedModel
	}
	calls, read := s.calls(len(raw))
	s.emit(loop.Replied{
		Raw: raw, Finish: parse.FinishStop, Usage: usage, Calls: calls,
		Reading: parse.Result{Outcome: parse.Calls, Calls: read, Thinking: s.word()},
	})
	for _, c := range calls {
		s.do(c)
	}
	if s.pick(4) == 1 {
		s.emit(loop.UserMessage{Kind: "note", Text: "note " + s.text()})
	}
	return ""
}

// calls are one to three calls, as they run and as they were read in a reply
// of n bytes.
func (s *stage) calls(n int) (run []loop.Call, read []parse.Call) {
	for i := range 1 + s.pick(3) {
		args, _ := json.Marshal(map[string]any{"text": s.word(), "n": i})
		c := loop.Call{ID: fmt.Sprintf("%d.%d", s.step, i+1), Name: "f", Args: args, Dialect: "json"}
		p := parse.Call{Name: c.Name, Args: args, Dialect: c.Dialect, Span: parse.Span{Start: i, End: n}}
		if s.pick(3) == 1 {
			c.Repaired, c.Echo = true, true
			p.Repairs = []parse.Repair{{Code: "quotes", Offset: i}}
		}
		run, read = append(run, c), append(read, p)
	}
	return run, read
}

// do is what becomes of a call.
func (s *stage) do(c loop.Call) {
	r := tools.Result{ID: c.ID, Name: c.Name, Status: tools.OK, Text: s.text()}
	switch s.pick(5) {
	case 0:
		s.emit(loop.ToolStarted{Call: c})
	case 1:
		s.emit(loop.ToolStarted{Call: c})
		code := s.pick(4)
		r.Status, r.ExitCode, r.Elapsed = tools.Failed, &code, time.Millisecond
	case 2:
		s.emit(loop.Asked{Call: c, Decision: loop.Permission{Verdict: loop.Refused, By: "nobody", Reason: s.word()}})
		r.Status = tools.Refused
	case 3:
		s.emit(loop.Asked{Call: c, Decision: loop.Permission{Verdict: loop.Allowed, By: "user"}})
		s.emit(loop.ToolStarted{Call: c})
		r.Truncated, r.Digest, r.Diff, r.Coerced = true, s.word(), s.word(), []string{"n"}
	case 4:
		r.Status = tools.Skipped
	}
	s.emit(loop.ToolEnded{Call: c, Result: r})
}
