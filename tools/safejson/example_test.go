package safejson_test

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/localagent/localagent/tools/safejson"
)

func ExampleMarshal() {
	ring := map[string]any{"ratio": math.Inf(1), "id": int64(9007199254740993)}
	ring["err"] = errors.New("disk <sda> is full")
	ring["took"] = 1500 * time.Millisecond
	ring["self"] = ring
	fmt.Printf("%s\n", safejson.Marshal(ring))
	// Output:
	// {"err":"disk <sda> is full","id":"9007199254740993","ratio":"Infinity","self":"[circular]","took":"1.5s"}
}

func ExampleOptions_Append() {
	page := map[string]any{"status": 200, "title": "Moby Dick", "lines": make([]int, 1000)}
	fmt.Printf("%s\n", safejson.Options{MaxBytes: 160}.Append(nil, page))
	// Output:
	// {"lines":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"[cut: 978 of 1000 items left out]"],"status":200,"title":"Moby Dick"}
}
