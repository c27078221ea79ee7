package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// pipes are the ends of the three standard streams.
type pipes struct {
	child []*os.File // the program's ends, in the order 0, 1, 2
	ours  []*os.File
}

// in opens standard input: the null device when there is nothing to say.
func (p *pipes) in(data []byte) (*os.File, error) {
	if len(data) == 0 {
		f, err := os.Open(os.DevNull)
		if err == nil {
			p.child = append(p.child, f)
		}
		return nil, err
	}
	r, w, err := os.Pipe()
	if err == nil {
		p.child, p.ours = append(p.child, r), append(p.ours, w)
	}
	return w, err
}

func (p *pipes) out() (*os.File, error) {
	r, w, err := os.Pipe()
	if err == nil {
		p.child, p.ours = append(p.child, w), append(p.ours, r)
	}
	return r, err
}

func (p *pipes) closeChild() { closeAll(p.child) }
func (p *pipes) closeOurs()  { closeAll(p.ours) }

func closeAll(fs []*os.File) {
	for _, f := range fs {
		f.Close()
	}
}

// feed writes standard input. A program need not read it, so a broken pipe is
// no error; the end of the program closes the pipe.
func feed(w *os.File, data []byte) {
	w.Write(data)
	w.Close()
}

func startError(c Cmd, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch info, statErr := os.Stat(c.Dir); {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w %q: no such program in PATH", ErrNoStart, c.Argv[0])
	case c.Dir != "" && (statErr != nil || !info.IsDir()): // the system blames the program for it
		return fmt.Errorf("%w %q: %s is no folder", ErrNoStart, c.Argv[0], c.Dir)
	}
	return fmt.Errorf("%w %q: %w", ErrNoStart, c.Argv[0], err)
}
