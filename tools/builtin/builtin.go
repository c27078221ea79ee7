// Package builtin holds the stock tools: list_files, read_file, search_text,
// count_chars and calc, which only look; write_file and edit_file; run_shell.
//
// All file access goes through one [os.Root].
package builtin

import (
	"os"

	"github.com/localagent/localagent/tools"
)

// Options say where the tools work. Root is required for all but calc.
type Options struct {
	Root     *os.Root // every path is below it
	SpillDir string   // where run_shell keeps output too long to show; "": a temporary folder
}

// All returns every stock tool.
func All(o Options) []*tools.Tool { return nil }

// Default are the names of the tools a run has unless told otherwise.
func Default() []string {
	return []string{"list_files", "read_file", "search_text", "count_chars", "calc"}
}
