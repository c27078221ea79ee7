package session

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// fill gives every field of a value one that is not its zero value, so that a
// field which a line has no place for shows when it is read back.
func fill(v reflect.Value) {
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":1}`))
		return
	case time.Duration:
		v.SetInt(int64(3 * time.Millisecond))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(2)
	case reflect.Uint8:
		v.SetUint(2)
	default:
		panic(v.Type())
	}
}

func filled[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

// same checks that what was read back is what was written.
func same[T any](t *testing.T, name string, want, got T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-written +read):\n%s", name, d)
	}
}

// What other packages add to their types has to find its place on a line.
func TestNothingIsLost(t *testing.T) {
	result := filled[tools.Result]()
	same(t, "result", result, newResultFields(result).result())

	entry := filled[loop.Entry]()
	same(t, "entry", entry, newEntryLine(entry).entry())

	state := filled[loop.State]()
	same(t, "state", state, newStateFields(state).state(state.Step))

	start := filled[loop.RunStarted]()
	start.Options.Tools[0].Name = start.Tools[0]
	same(t, "start", start, newInitLine(Header{}, start).event())

	reading := filled[parse.Result]()
	reading.Outcome = parse.Calls
	reading.Calls[0].Span = parse.Span{Start: 1, End: 2}
	reading.Void[0].Span, reading.Dropped[0].Span = reading.Calls[0].Span, reading.Calls[0].Span
	same(t, "reading", reading, newParseLine(reading, nil).reading(4))

	calls := []loop.Call{filled[loop.Call]()}
	same(t, "calls", calls, newParseLine(parse.Result{}, calls).run())
}

// Every event has its place too; see TestLines for what is on the lines.
func TestNoEventIsLost(t *testing.T) {
	replied := filled[loop.Replied]()
	replied.Reading = parse.Result{Outcome: parse.Final, Text: "text"}
	retried := filled[loop.FreshRetry]()
	asked := filled[loop.Asked]()
	asked.Call = replied.Calls[0]
	ended := loop.ToolEnded{Call: replied.Calls[0], Result: filled[tools.Result]()}
	ended.Result.ID = ended.Call.ID
	state := filled[loop.State]()
	state.Step = 1
	done := loop.RunEnded{Result: &loop.Result{
		Stop: loop.StopFinal, Answer: "a", Cut: true, Raw: "r", Advice: "b", State: state, Refused: 3,
	}}
	events := []loop.Event{
		filled[loop.RunStarted](), filled[loop.UserMessage](), loop.StepStarted{Step: 1}, replied, retried, asked,
		loop.ToolStarted{Call: ended.Call}, ended, filled[loop.Compacted](), filled[loop.Warned](),
		loop.StepEnded{State: state}, done,
	}
	start := events[0].(loop.RunStarted)
	start.Options.Tools[0].Name = start.Tools[0]
	var got []loop.Event
	var d decoder
	for l, err := range Lines(strings.NewReader(encoded(t, events...))) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d.decode(l)...)
	}
	same(t, "events", events, got)
}
