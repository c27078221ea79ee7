package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/builtin"
)

// The stock tools work in one folder and nowhere else.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("Grüße\n"), 0o644); err != nil {
		panic(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	defer root.Close()

	set := tools.NewSet(builtin.All(builtin.Options{Root: root})...)
	call := func(name, args string) {
		r := set.Do(context.Background(), tools.Call{Name: name, Args: json.RawMessage(args)})
		fmt.Printf("%s: %s\n", r.Status, r.Text)
	}
	call("count_chars", `{"path":"notes.txt"}`)
	call("read_file", `{"path":"note.txt"}`)
	call("read_file", `{"path":"../notes.txt"}`)
	call("calc", `{"expr":"0.1 + 0.2"}`)
	call("calc", `{"expr":"1/0"}`)
	// Output:
	// ok: {"characters":6,"bytes":8,"lines":1,"words":1}
	// error: there is no note.txt; did you mean notes.txt?
	// error: "../notes.txt" is outside the working folder; paths are relative to it; did you mean "notes.txt"?
	// ok: 0.3
	// ok: "Infinity"
}
