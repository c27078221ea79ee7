package builtin

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
	"github.com/localagent/localagent/tools/internal/proc"
)

//go:embed run_shell.md
var runShellDoc string

type shellArgs struct {
	Command string `json:"command" example:"ls -l"`
}

// A shell runs commands.
type shell struct {
	dir   string
	kill  <-chan struct{}
	spill func() (*os.File, error)
}

func newShell(f *folder, o Options) *shell {
	s := &shell{kill: o.Kill, spill: spillTo(o.SpillDir)}
	if len(f.abs) > 0 {
		s.dir = f.abs[0]
	}
	return s
}

// spillTo returns what makes files for long output. The temporary folder that
// is used without one is made when it is first needed.
func spillTo(dir string) func() (*os.File, error) {
	temp := sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "localagent-output-") })
	return func() (*os.File, error) {
		to, err := dir, error(nil)
		if dir == "" {
			to, err = temp()
		} else {
			err = os.MkdirAll(dir, 0o700)
		}
		if err != nil {
			return nil, err
		}
		return os.CreateTemp(to, "output-*.txt")
	}
}

// errNoShell is what Windows gets.
var errNoShell = errors.New("run_shell needs a Unix shell and process groups, which Windows does not have; " +
	"use the other tools, or declare a program of your own as a tool")

// argv uses bash where there is one: it is what models write.
func argv(command string) ([]string, error) {
	if runtime.GOOS == "windows" {
		return nil, errNoShell
	}
	sh := "/bin/sh"
	if bash, err := exec.LookPath("bash"); err == nil {
		sh = bash
	}
	return []string{sh, "-c", "--", command}, nil
}

func (s *shell) run(ctx context.Context, c tools.Call, in shellArgs) (any, error) {
	switch {
	case s.dir == "":
		return nil, errNoFolder
	case strings.TrimSpace(in.Command) == "":
		return nil, errors.New("the command is empty")
	case strings.ContainsRune(in.Command, 0):
		return nil, errors.New("the command has a zero byte")
	}
	args, err := argv(in.Command)
	if err != nil {
		return nil, err
	}
	out, err := proc.Run(ctx, proc.Cmd{Argv: args, Dir: s.dir, Keep: maxResult, Spill: s.spill, Kill: s.kill})
	if errors.Is(err, proc.ErrNoStart) {
		return nil, err
	}
	return s.report(out, verdict(ctx, out, err), room(c)), nil
}

func (s *shell) preview(_ context.Context, _ tools.Call, in shellArgs) (string, error) {
	return fmt.Sprintf("in %s:\n%s", s.dir, in.Command), nil
}

// verdict is how a command ended, without its output. A status other than 0 is
// a failure; text on the error stream alone is none.
func verdict(ctx context.Context, o *proc.Output, err error) tools.Result {
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return tools.Result{Status: tools.TimedOut, Text: fmt.Sprintf("stopped: %v; the command was ended before it was done", err)}
	case err != nil:
		return tools.Result{Status: tools.Aborted, Text: "interrupted: the command was ended before it was done"}
	}
	r := tools.Result{Status: tools.OK, ExitCode: &o.Code, Text: o.Status()}
	if o.Code != 0 {
		r.Status = tools.Failed
	}
	return r
}

// report adds both streams to a verdict.
func (s *shell) report(o *proc.Output, r tools.Result, room int) tools.Result {
	head, notes := r.Text, jobNotes(o)
	r.Digest = digest(head, o)
	if o.Stdout.Size+o.Stderr.Size == 0 {
		r.Text += "; no output" + notes
		return r
	}
	out, errs := s.share(o, room-len(head)-len(notes)-2*len("\nstdout:\n"))
	r.Text += "\nstdout:" + out.text + "\nstderr:" + errs.text + notes
	r.Truncated = out.cut || errs.cut
	if len(r.Text) > room { // hardly room for anything
		r.Text, r.Truncated = r.Text[:cut.End(r.Text, room)], true
	}
	return r
}

// digest names all of the output; the text may show a part, and the name of a
// file that is another one each time.
func digest(head string, o *proc.Output) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %x %x", head, o.Stdout.Sum, o.Stderr.Sum)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func jobNotes(o *proc.Output) string {
	var s string
	if o.Jobs {
		s += "\n[processes left in the background were ended]"
	}
	if o.Held {
		s += "\n[a process with a session of its own goes on; its output is not read]"
	}
	return s
}
