package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"
)

type weatherArgs struct {
	City  string                `json:"city" jsonschema:"name of the city, not <code> & such" example:"Oslo" min:"1"`
	Unit  string                `json:"unit,omitempty" enum:"celsius,fahrenheit" default:"celsius"`
	Days  int                   `json:"days,omitempty" jsonschema:"how far ahead" min:"1" max:"14" default:"3"`
	Tags  []string              `json:"tags,omitempty" max:"5" enum:"wind,rain"`
	Ratio *float64              `json:"ratio,omitempty" min:"0.5" default:"0.75"`
	Env   map[string]int        `json:"env,omitempty"`
	Spans []struct{ A, B int8 } `json:"spans,omitempty"`
	Since time.Time             `json:"since,omitzero"`
	Not   int                   `json:"-"`
	embedded
}

type embedded struct {
	Zip string `json:"zip,omitempty" pattern:"^[0-9]+$"`
}

func TestParameters(t *testing.T) {
	tool := New(Tool{Name: "weather"}, func(_ context.Context, _ Call, in weatherArgs) (weatherArgs, error) { return in, nil })
	const want = `{"type":"object","properties":{` +
		`"city":{"type":"string","description":"name of the city, not <code> & such","examples":["Oslo"],"minLength":1},` +
		`"unit":{"type":"string","default":"celsius","enum":["celsius","fahrenheit"]},` +
		`"days":{"type":"integer","description":"how far ahead","default":3,"minimum":1,"maximum":14},` +
		`"tags":{"type":"array","items":{"type":"string","enum":["wind","rain"]},"maxItems":5},` +
		`"ratio":{"type":"number","default":0.75,"minimum":0.5},` +
		`"env":{"type":"object","additionalProperties":{"type":"integer"}},` +
		`"spans":{"type":"array","items":{"type":"object","properties":{"A":{"type":"integer","minimum":-128,"maximum":127},"B":{"type":"integer","minimum":-128,"maximum":127}},"required":["A","B"],"additionalProperties":false}},` +
		`"since":{"type":"string"},` +
		`"zip":{"type":"string","pattern":"^[0-9]+$"}},` +
		`"required":["city"],"additionalProperties":false}`
	if string(tool.Parameters) != want {
		t.Errorf("got  %s\nwant %s", tool.Parameters, want)
	}
}

func TestNew(t *testing.T) {
	set := NewSet(New(Tool{Name: "weather"}, func(_ context.Context, _ Call, in weatherArgs) (string, error) {
		if in.City == "Atlantis" {
			return "", errors.New("no such city")
		}
		return fmt.Sprintf("%s %s %d %v %v %v", in.City, in.Unit, in.Days, in.Tags, *in.Ratio, in.Spans), nil
	}))
	for _, tt := range []struct {
		name, args string
		status     Status
		text       string
	}{
		{"defaults", `{"city":"Oslo"}`, OK, `Oslo celsius 3 [] 0.75 []`},
		{"given", `{"city":"Oslo","days":"2","tags":"wind","ratio":1,"unit":"Fahrenheit","spans":{"A":1,"B":2}}`, OK, `Oslo fahrenheit 2 [wind] 1 [{1 2}]`},
		{"error", `{"city":"Atlantis"}`, Failed, `no such city`},
		{"missing", `{}`, InvalidArgs, `city: missing; must be a string`},
		{"limit", `{"city":"x","spans":[{"A":1,"B":200}]}`, InvalidArgs, `spans[0].B: must be at most 127, got 200`},
		{"a time that is none", `{"city":"x","since":"yesterday"}`, InvalidArgs, `- since: parsing time "yesterday"`},
		{"pattern", `{"city":"x","zip":"1a"}`, InvalidArgs, `zip: breaks a rule: pattern`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := set.Do(context.Background(), Call{Name: "weather", Args: json.RawMessage(tt.args)})
			if r.Status != tt.status || !strings.Contains(r.Text, tt.text) {
				t.Errorf("%s: %s", r.Status, r.Text)
			}
		})
	}
}

// A default is set wherever the argument is not given, not only at the top.
func TestNewDefaultsInside(t *testing.T) {
	type unit struct {
		Unit string `json:"unit,omitempty" default:"celsius"`
		N    *int   `json:"n,omitempty" default:"2"`
	}
	type args struct {
		One  unit            `json:"one"`
		Ptr  *unit           `json:"ptr,omitempty"`
		List []unit          `json:"list,omitempty"`
		Map  map[string]unit `json:"map,omitempty"`
	}
	set := NewSet(New(Tool{Name: "t"}, func(_ context.Context, _ Call, in args) (args, error) { return in, nil }))
	for _, tt := range []struct{ args, want string }{
		{`{"one":{}}`, `{"one":{"unit":"celsius","n":2}}`},
		{`{"one":{"unit":"kelvin","n":0},"list":[]}`, `{"one":{"unit":"kelvin","n":0}}`},
		{`{"one":{},"ptr":{"n":1},"list":[{},{"unit":"x"}],"map":{"a":{}}}`,
			`{"one":{"unit":"celsius","n":2},"ptr":{"unit":"celsius","n":1},` +
				`"list":[{"unit":"celsius","n":2},{"unit":"x","n":2}],"map":{"a":{"unit":"celsius","n":2}}}`},
	} {
		if r := set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(tt.args)}); r.Text != tt.want {
			t.Errorf("%s: %s: %s\nwant %s", tt.args, r.Status, r.Text, tt.want)
		}
	}
}

// What fits the schema but not the Go type is the model's to mend.
func TestNewOutOfRange(t *testing.T) {
	type args struct {
		N int64   `json:"n"`
		F float64 `json:"f,omitempty"`
	}
	set := NewSet(New(Tool{Name: "t"}, func(_ context.Context, _ Call, in args) (int64, error) { return in.N, nil }))
	for _, tt := range []struct{ args, text string }{
		{`{"n":9223372036854775807}`, `"9223372036854775807"`},
		{`{"n":9223372036854775808}`, "n: number 9223372036854775808 does not fit int64"},
		{`{"n":1,"f":1e999}`, "f: number 1e999 does not fit float64"},
	} {
		r := set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(tt.args)})
		if !strings.Contains(r.Text, tt.text) || (r.Status == OK) != (tt.text[0] == '"') {
			t.Errorf("%s: %s: %s", tt.args, r.Status, r.Text)
		}
	}
}

func TestNewBigNumbers(t *testing.T) {
	type args struct {
		N json.Number `json:"n"`
		B *big.Int    `json:"b"`
	}
	tool := Tool{Name: "t", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"},"b":{"type":"integer"}}}`)}
	set := NewSet(New(tool, func(_ context.Context, _ Call, in args) ([]any, error) { return []any{in.N, in.B}, nil }))
	r := set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(`{"n":0.12345678901234567890,"b":123456789012345678901234567890}`)})
	if want := `["0.12345678901234567890","123456789012345678901234567890"]`; r.Text != want {
		t.Errorf("got %s, want %s", r.Text, want)
	}
}

// A field takes what its type reads, which is not always what its kind says.
func TestNewTypesOfTheirOwn(t *testing.T) {
	type args struct {
		Raw   json.RawMessage  `json:"raw,omitempty"`
		RawP  *json.RawMessage `json:"rawp,omitempty"`
		Num   json.Number      `json:"num,omitempty"`
		Big   *big.Int         `json:"big,omitempty"`
		Rat   *big.Rat         `json:"rat,omitempty"`
		Addr  netip.Addr       `json:"addr,omitzero"`
		Addrs []netip.Addr     `json:"addrs,omitempty"`
		Class Class            `json:"class,omitempty" enum:"read,write"`
		Level slog.Level       `json:"level,omitempty"`
		Time  *time.Time       `json:"time,omitempty"`
	}
	var got args
	set := NewSet(New(Tool{Name: "t"}, func(_ context.Context, _ Call, in args) (string, error) { got = in; return "", nil }))
	for _, tt := range []struct {
		args, want string
		read       func() any
	}{
		{`{"raw":{"a":[1]},"rawp":"x"}`, `{"a":[1]}"x"`, func() any { return string(got.Raw) + string(*got.RawP) }},
		{`{"num":0.12345678901234567890}`, "0.12345678901234567890", func() any { return got.Num }},
		{`{"num":"1.50"}`, "1.50", func() any { return got.Num }},
		{`{"big":123456789012345678901234567890}`, "123456789012345678901234567890", func() any { return got.Big }},
		{`{"big":"123456789012345678901234567890"}`, "123456789012345678901234567890", func() any { return got.Big }},
		{`{"rat":"1/3"}`, "1/3", func() any { return got.Rat }},
		{`{"addr":"::1","addrs":["10.0.0.1"]}`, "::1 [10.0.0.1]", func() any { return fmt.Sprint(got.Addr, got.Addrs) }},
		{`{"class":"write"}`, "write", func() any { return got.Class }},
		{`{"level":"WARN"}`, "WARN", func() any { return got.Level }},
		{`{"time":"2024-02-29T00:00:00Z"}`, "2024-02-29", func() any { return got.Time.Format(time.DateOnly) }},
		{`{"class":"exec"}`, "class: must be one of", nil},
		{`{"num":"abc"}`, "num: must be a number", nil},
		{`{"addr":{}}`, "addr: must be a string", nil},
	} {
		r := set.Do(context.Background(), Call{Name: "t", Args: json.RawMessage(tt.args)})
		switch {
		case tt.read == nil:
			if r.Status != InvalidArgs || !strings.Contains(r.Text, tt.want) {
				t.Errorf("%s: %s: %s", tt.args, r.Status, r.Text)
			}
		case r.Status != OK:
			t.Errorf("%s: %s: %s", tt.args, r.Status, r.Text)
		case fmt.Sprint(tt.read()) != tt.want:
			t.Errorf("%s: got %v, want %s", tt.args, tt.read(), tt.want)
		}
	}
}

func TestNewValues(t *testing.T) {
	type none struct{}
	failed := errors.New("failed")
	for _, tt := range []struct {
		name string
		tool *Tool
		want string
	}{
		{"value", New(Tool{Name: "t"}, func(context.Context, Call, none) ([]int, error) { return []int{1}, nil }), `[1]`},
		{"error", New(Tool{Name: "t"}, func(context.Context, Call, none) ([]int, error) { return nil, failed }), `failed`},
		{"zero value and error", New(Tool{Name: "t"}, func(context.Context, Call, none) (weatherArgs, error) { return weatherArgs{}, failed }), `failed`},
		{"part and error", New(Tool{Name: "t"}, func(context.Context, Call, none) ([]int, error) { return []int{1}, failed }), "failed\n[1]"},
		{"any", New(Tool{Name: "t"}, func(context.Context, Call, none) (any, error) { return nil, nil }), "(no output)"},
		{"result", New(Tool{Name: "t"}, func(context.Context, Call, none) (Result, error) { return Result{Text: "x"}, nil }), "x"},
		{"the call", New(Tool{Name: "t"}, func(_ context.Context, c Call, _ none) (string, error) { return c.ID + string(c.Args), nil }), "7{}"},
	} {
		if r := NewSet(tt.tool).Do(context.Background(), Call{ID: "7", Name: "t"}); r.Text != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, r.Text, tt.want)
		}
	}
}

func TestNewPanics(t *testing.T) {
	type (
		loop  struct{ Next *loop }
		fault struct {
			F func()
		}
		empty struct {
			A int `json:"a" jsonschema:""`
		}
		badMin struct {
			A int `json:"a" min:"x"`
		}
		badMinOf struct {
			A bool `json:"a" min:"1"`
		}
		badLength struct {
			A string `json:"a" max:"1.5"`
		}
		badEnum struct {
			A int `json:"a" enum:"one,two"`
		}
		badDefault struct {
			A int `json:"a" default:"20" max:"10"`
		}
		badDefaultText struct {
			A []int `json:"a" default:"1,2"`
		}
		badPattern struct {
			A string `json:"a" pattern:"("`
		}
	)
	for want, make := range map[string]func(){
		"cycle detected":                 newOf[loop],
		"unsupported by jsonschema":      newOf[fault],
		"empty jsonschema tag":           newOf[empty],
		"field A: min: ":                 newOf[badMin],
		"min is for numbers":             newOf[badMinOf],
		"max: 1.5 is no length":          newOf[badLength],
		`field A: enum: "one" is not`:    newOf[badEnum],
		"20":                             newOf[badDefault],
		`field A: default: "1,2" is not`: newOf[badDefaultText],
		"missing closing )":              newOf[badPattern],
		`whose type is "object"`:         newOf[int],
	} {
		wantPanic(t, want, make)
	}
}

func newOf[In any]() {
	New(Tool{Name: "t"}, func(context.Context, Call, In) (string, error) { return "", nil })
}
