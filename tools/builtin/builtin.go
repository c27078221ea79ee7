// Package builtin holds the stock tools: list_files, read_file, search_text,
// count_chars and calc, which only look; write_file and edit_file; run_shell.
//
// # Files
//
// All file access goes through one [os.Root]. Paths are relative to it, with
// slashes. An absolute path below it is taken for the relative one; any other,
// and one that leads out by .. or by a link, is refused. Links that stay inside
// and are relative work. Hard links and mounts inside the root are part of it.
// Devices, pipes, sockets and, where a file is due, folders are refused without
// waiting for them. A path with control characters is refused: it comes from a
// backslash that was not doubled.
//
// A result has at most 2,000 lines and 50 KB, and never more than
// [tools.Call].MaxBytes; when something is left out, its last line says what,
// and how to go on. Binary files are named with their size, not shown.
//
// Files are written beside the old ones and renamed over them, so that nobody
// sees half of one. They keep mode, owner where that is allowed, and line
// endings. Read-only files, binary files, and what is in .git are not written.
//
// # Commands
//
// run_shell uses bash, or sh where there is none, in the root's folder. It
// works on Linux, macOS and other Unix systems. Its process group and session
// are ended with it, see the description of the tool.
//
// # Arithmetic
//
// calc computes with fractions: 0.1+0.2 is 0.3 and 2^100 has every digit. What
// does not end is written with 17 significant digits. 1/0 is Infinity and 0/0
// NaN. % is the remainder with the sign of the dividend. ^ and ** are powers,
// right-associative and above a sign on their left: -2^2 is -4. Nothing is
// computed that would have more than about 4,900 digits.
package builtin

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/localagent/localagent/tools"
)

// Options say where the tools work. Root is required for all but calc.
type Options struct {
	Root     *os.Root // every path is below it
	SpillDir string   // where run_shell keeps output too long to show; "": a temporary folder, which stays

	// Hide, if not nil, says for a tool that begins a walk at start what it
	// leaves out: files and folders that are not to be seen, relative to Root.
	// It may return nil: nothing.
	Hide func(tool, start string) func(path string) bool

	// Kill, once closed, ends the commands of cancelled calls at once, without
	// the two seconds they have to end by themselves. nil: never.
	Kill <-chan struct{}
}

const shellTimeout = 120 * time.Second

// All returns every stock tool.
func All(o Options) []*tools.Tool {
	f := newFolder(o)
	sh := newShell(f, o)
	look := tools.Tool{Class: tools.Read, Access: tools.ReadOnly}
	short := tools.Tool{Class: tools.Read, Access: tools.ReadOnly, Keep: true} // results not worth clearing
	write := tools.Tool{Class: tools.Write, Keep: true}
	exec := tools.Tool{Class: tools.Exec, Volatile: true, Timeout: shellTimeout}
	return []*tools.Tool{
		tools.New(named(look, "list_files", listFilesDoc), f.listFiles),
		tools.New(named(look, "read_file", readFileDoc), f.readFile),
		tools.New(named(look, "search_text", searchTextDoc), f.searchText),
		tools.New(named(short, "count_chars", countCharsDoc), f.countChars),
		tools.New(named(short, "calc", calcDoc), calc),
		withPreview(tools.New(named(write, "write_file", writeFileDoc), f.writeFile), f.previewWrite),
		withPreview(tools.New(named(write, "edit_file", editFileDoc), f.editFile), f.previewEdit),
		withPreview(tools.New(named(exec, "run_shell", runShellDoc), sh.run), sh.preview),
	}
}

// Default are the names of the tools a run has unless told otherwise.
func Default() []string {
	return []string{"list_files", "read_file", "search_text", "count_chars", "calc"}
}

func named(t tools.Tool, name, doc string) tools.Tool {
	t.Name, t.Description = name, strings.TrimSpace(doc)
	return t
}

// withPreview adds a preview that takes the same arguments as the tool.
func withPreview[In any](t *tools.Tool, f func(context.Context, tools.Call, In) (string, error)) *tools.Tool {
	t.Preview = func(ctx context.Context, c tools.Call) (string, error) {
		var in In
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return "", err
		}
		return f(ctx, c, in)
	}
	return t
}
