package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localagent/localagent/tools"
)

type convertArgs struct {
	Value float64 `json:"value" jsonschema:"degrees" example:"21.5"`
	To    string  `json:"to,omitempty" jsonschema:"unit of the result" enum:"celsius,fahrenheit" default:"celsius"`
}

func convert(ctx context.Context, c tools.Call, in convertArgs) (float64, error) {
	switch celsius := (in.Value - 32) / 1.8; {
	case in.To == "fahrenheit":
		return in.Value*1.8 + 32, nil
	case celsius < -273.15:
		return 0, fmt.Errorf("%v °F is below absolute zero, which is -459.67 °F", in.Value)
	default:
		return celsius, nil
	}
}

// A Go function becomes a tool: its schema comes from the struct, arguments
// are checked before it is called, and whatever happens is one result.
func Example() {
	set := tools.NewSet(tools.New(tools.Tool{
		Name: "convert", Description: "Convert a temperature.", Class: tools.Read, Access: tools.ReadOnly,
	}, convert))

	fmt.Println(set.Lookup("convert").Signature())
	for _, args := range []string{`{"value": "50"}`, `{"value": 100, "to": "Fahrenheit"}`, `{"value": -500}`, `{"degrees": 50, "to": "kelvin"}`} {
		r := set.Do(context.Background(), tools.Call{Name: "convert", Args: json.RawMessage(args)})
		fmt.Println(r.Status, r.Text, r.Coerced)
	}
	// Output:
	// convert(value: number, to?: "celsius"|"fahrenheit" = "celsius"): Convert a temperature.
	// ok 10 [value: "50" read as 50]
	// ok 212 [to: "Fahrenheit" read as "fahrenheit"]
	// error -500 °F is below absolute zero, which is -459.67 °F []
	// invalid_args the arguments of convert are wrong:
	// - degrees: no such argument; did you mean value?
	// - to: must be one of "celsius", "fahrenheit", got the string "kelvin"
	// - value: missing; must be a number
	// Correct arguments look like this: {"value":50,"to":"celsius"} []
}

// Any value can be held against a schema, not only the arguments of a call.
func ExampleNewSchema() {
	s, err := tools.NewSchema(json.RawMessage(`{"type": "array", "items": {"type": "integer"}, "maxItems": 3}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Validate(json.RawMessage(`[1, 2]`)))
	fmt.Println(s.Validate(json.RawMessage(`[1, 2, 3, 4]`)))
	// Output:
	// <nil>
	// validating root: maxItems: array length 4 is greater than 3
}
