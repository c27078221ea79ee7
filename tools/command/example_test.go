//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/command"
)

// A program in any language becomes a tool.
func Example() {
	weather, err := command.New(command.Config{
		Name:        "weather",
		Description: "Weather of a city.",
		Command:     []string{"./weather.sh"},
		Dir:         "testdata",
		Schema:      json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
	})
	if err != nil {
		panic(err)
	}
	set := tools.NewSet(weather)
	r := set.Do(context.Background(), tools.Call{Name: "weather", Args: json.RawMessage(`{"city":"Oslo"}`)})
	fmt.Println(r.Status, r.Text)
	r = set.Do(context.Background(), tools.Call{Name: "weather", Args: json.RawMessage(`{"city":"Atlantis"}`)})
	fmt.Println(r.Status, r.Text)
	// Output:
	// ok Oslo: 4 degrees, rain
	// error exit status 1: no weather for Atlantis; there is Oslo
}
