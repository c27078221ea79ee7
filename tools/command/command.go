// Package command makes a tool of any program: arguments go in as JSON on its
// standard input, the result comes out on its standard output.
//
// # The protocol
//
// The program is started for each call, without a shell. Its standard input is
// one line: the arguments as a JSON object, which fit the schema. What it
// prints is the result: JSON, which is passed on without its white space, or
// text. On success its error stream is not shown to the model, unless there is
// nothing else.
//
// It fails by an exit status other than 0; its error stream says why, for the
// model to read.
//
// # What it can rely on
//
// It has no terminal, and its own process group and session. When its time is
// up or the run is cancelled, all of the group gets TERM, and KILL after two
// seconds. What it leaves in the background is ended with it. At most 50 KB of
// its output are passed on, less when the context is nearly full: the beginning
// and the end, and a note of what is missing. Bytes that are not UTF-8 become
// U+FFFD.
//
// A program in shell or Python is a dozen lines; see the examples in testdata.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/proc"
)

// Config declares a program as a tool.
type Config struct {
	Name        string
	Description string
	Command     []string        // argv; run without a shell
	Class       tools.Class     // Exec unless said otherwise; one that only reads may run beside others
	Schema      json.RawMessage // of the arguments; nil: any object
	Volatile    bool
	Timeout     time.Duration // 0: the caller's default
	Dir         string        // working directory, and where a program path with a slash begins; "": the caller's

	// Kill, once closed, ends cancelled programs at once instead of after two
	// seconds. nil: never.
	Kill <-chan struct{}
}

// New returns the tool. Its error says what is wrong in the declaration; a
// program that does not exist is an error of the call.
func New(c Config) (*tools.Tool, error) {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return nil, fmt.Errorf("command: tool %q has no command", c.Name)
	}
	t := &tools.Tool{
		Name:        c.Name,
		Description: c.Description,
		Parameters:  c.Schema,
		Class:       c.Class,
		Volatile:    c.Volatile,
		Timeout:     c.Timeout,
		Run:         c.run,
		Preview:     c.preview,
	}
	if c.Class == tools.Read {
		t.Access = tools.ReadOnly
	}
	return t, valid(t)
}

// valid reports as an error what [tools.Set.Add] panics about: there it is a
// programmer's mistake, here one in a config file.
func valid(t *tools.Tool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("command: %v", p)
		}
	}()
	tools.NewSet(t)
	return nil
}

const maxResult = 50 << 10 // bytes

func (c *Config) run(ctx context.Context, call tools.Call) (any, error) {
	room := maxResult
	if call.MaxBytes > 0 {
		room = min(room, call.MaxBytes)
	}
	out, err := proc.Run(ctx, proc.Cmd{
		Argv:  c.Command,
		Dir:   c.Dir,
		Stdin: append(oneLine(call.Args), '\n'),
		Keep:  maxResult,
		Kill:  c.Kill,
	})
	switch {
	case errors.Is(err, proc.ErrNoStart):
		return nil, err
	case err != nil: // ended before it was done; the caller says why
		text, _ := output(&out.Stdout, room)
		return text, nil
	case out.Code != 0:
		return failure(out, room), nil
	}
	return success(out, room), nil
}

func (c *Config) preview(_ context.Context, call tools.Call) (string, error) {
	return fmt.Sprintf("%q gets %s", c.Command, oneLine(call.Args)), nil
}
