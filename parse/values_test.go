package parse_test

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/localagent/localagent/parse"
)

// decoded is what Values promises.
func decoded(args string) map[string]any {
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.Decode(new(any)) != io.EOF {
		return nil
	}
	m, _ := v.(map[string]any)
	return m
}

// The arguments of every call of every sample are decoded as encoding/json does.
func TestValuesOfSamples(t *testing.T) {
	n := 0
	for _, x := range samples(t, 1) {
		r := parse.Parse(x.text, x.options, x.finish)
		for _, c := range append(r.Calls, r.Void...) {
			n++
			if got, want := c.Values(), decoded(string(c.Args)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: %#v, want %#v", x.name, c.Args, got, want)
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d calls", n)
	}
}

// Arguments that other writers made are decoded too; what is no object has no
// values.
func TestValuesOfOthers(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 300) + strings.Repeat(`]}`, 300)
	for _, args := range []string{
		`{}`, `{"a":{}}`, `{"a":[],"b":[[]],"c":[{}]}`, `{"a":[1,[2,{"b":[true,false,null]}],"c"],"d":-0.5e+7}`, `{"":""}`,
		`{"a":"\"\\\b\f\n\r\t\u0000\u001f"}`, "{\"a\":\"\u732b\u2028\x7f\"}", `{"n":123456789012345678901234567890,"m":1.10}`,
		` { "a" : 1 , "b" : [ 1 , 2 ] } `, `{"a":"\u00e9\ud83d\ude00\/"}`, `{"a":1,"a":2}`, deep,
		``, ` `, `[]`, `1`, `"a"`, `null`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":"\`, `{"a":"\"}`, `{"a":"\q"}`, `{"a":"\u12"}`,
		`{"a":"`, `{"a":tru}`, `{"a":-}`, `{a:1}`, `{"a":[1}`, `{"a":{"b":1]}`, `{"a":[`, "{\"a\":\"b\nc\"}",
		`{"a":1} x`, `{"a":1}{"b":2}`, `{"a":1}]`, "{\"a\":\"\xff\"}", "{\"\xff\":1}", "{\"a\":\"\\n\xff\"}",
	} {
		c := parse.Call{Args: json.RawMessage(args)}
		if got, want := c.Values(), decoded(args); !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q: %#v, want %#v", args, got, want)
		}
	}
}

// What is decoded stays when the arguments are written over.
func TestValuesAreCopies(t *testing.T) {
	c := parse.Call{Args: json.RawMessage(`{"key":"value","n":12,"list":["x\ty"]}`)}
	v := c.Values()
	for i := range c.Args {
		c.Args[i] = '!'
	}
	if want := map[string]any{"key": "value", "n": json.Number("12"), "list": []any{"x\ty"}}; !reflect.DeepEqual(v, want) {
		t.Errorf("%#v, want %#v", v, want)
	}
}
