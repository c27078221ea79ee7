package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// The steps of the ladder. They are the contract of package builtin.
const (
	termGrace  = 2 * time.Second        // from TERM to KILL after a cancel
	jobsEnd    = 250 * time.Millisecond // for jobs that are about to end with the program
	jobsGrace  = time.Second            // from TERM to KILL for jobs left behind
	killWait   = 2 * time.Second        // for the kernel to end what was killed, and to say so
	drainWait  = 500 * time.Millisecond // for output still in the pipes
	firstCheck = time.Millisecond       // between two looks at a dying group, doubling
	lastCheck  = 32 * time.Millisecond
)

// A Cmd is a program to run.
type Cmd struct {
	Argv  []string
	Dir   string // "": the caller's
	Stdin []byte // empty: nothing to read

	Keep  int                      // bytes kept of the head and of the tail of each stream; at least 1
	Spill func() (*os.File, error) // makes the file for a stream that is longer; nil: the rest is dropped

	// Kill, once closed, shortens every grace period to nothing.
	Kill <-chan struct{}
}

// An Output is what came of a [Cmd].
type Output struct {
	Stdout, Stderr Stream

	Code   int    // exit status; 128 + signal when a signal ended the program, as shells say it
	Signal string // the signal that ended the program, or ""

	Jobs bool // background processes were left, and ended
	Held bool // a process out of reach held a pipe open; what it wrote later is not here
}

// Status is the exit status in words, with the signal if there was one.
func (o *Output) Status() string {
	s := fmt.Sprintf("exit status %d", o.Code)
	if o.Signal != "" {
		s += " (" + o.Signal + ")"
	}
	return s
}

// ErrNoStart is a program that could not be started.
var ErrNoStart = errors.New("cannot start")

// Run runs the program and returns when nothing of it is left. The error says
// that it did not start, or is the context's; then the output is what came
// until then.
func Run(ctx context.Context, c Cmd) (*Output, error) {
	if err := context.Cause(ctx); err != nil {
		return &Output{}, err
	}
	p, err := start(c)
	if err != nil {
		return &Output{}, err
	}
	err = p.wait(ctx)
	return p.output(), err
}

// A process is a started [Cmd].
type process struct {
	cmd    *exec.Cmd
	kill   <-chan struct{}
	exited chan struct{} // closed when the program itself has ended
	out    *capture
	err    *capture
	jobs   bool
	held   bool
}

func start(c Cmd) (*process, error) {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = ownGroup()
	p := &process{cmd: cmd, kill: c.Kill, exited: make(chan struct{})}

	// The pipes are ours and not os/exec's: its WaitDelay would close them
	// while jobs that hold them are still alive and worth ending.
	var ends pipes
	defer ends.closeChild()
	stdin, err1 := ends.in(c.Stdin)
	stdout, err2 := ends.out()
	stderr, err3 := ends.out()
	if err := errors.Join(err1, err2, err3); err != nil {
		ends.closeOurs()
		return nil, fmt.Errorf("%w %q: %w", ErrNoStart, c.Argv[0], err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends.child[0], ends.child[1], ends.child[2]
	if err := cmd.Start(); err != nil {
		ends.closeOurs()
		return nil, startError(c, err)
	}
	if stdin != nil {
		go feed(stdin, c.Stdin)
	}
	p.out = newCapture(stdout, c.Keep, c.Spill)
	p.err = newCapture(stderr, c.Keep, c.Spill)
	go func() {
		p.cmd.Wait() // its error is in ProcessState
		if stdin != nil {
			stdin.Close()
		}
		close(p.exited)
	}()
	return p, nil
}

// wait returns when the group is gone and its output has been read.
func (p *process) wait(ctx context.Context) error {
	var err error
	select {
	case <-p.exited:
		if p.gone(jobsEnd) {
			break
		}
		p.jobs = true
		p.end(jobsGrace)
	case <-ctx.Done():
		err = context.Cause(ctx)
		p.end(termGrace)
		p.reap()
	}
	p.drain()
	return err
}

// reap waits for the exit status of a program that has been ended.
func (p *process) reap() {
	select {
	case <-p.exited:
	case <-time.After(killWait):
	}
}

// end climbs the ladder.
func (p *process) end(grace time.Duration) {
	signalGroup(p.cmd.Process, terminate)
	if !p.gone(grace) {
		signalGroup(p.cmd.Process, kill)
		p.goneAfterKill()
	}
}

// gone waits until nothing of the group is left, or the time is up.
func (p *process) gone(limit time.Duration) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for pause := firstCheck; groupAlive(p.cmd.Process); pause = min(2*pause, lastCheck) {
		select {
		case <-deadline.C:
			return false
		case <-p.kill:
			return false
		case <-time.After(pause):
		}
	}
	return true
}

// goneAfterKill repeats KILL, since a process may have been born between two
// looks. Only what hangs in the kernel survives it.
func (p *process) goneAfterKill() {
	pause := firstCheck
	for t := time.Now(); groupAlive(p.cmd.Process) && time.Since(t) < killWait; pause = min(2*pause, lastCheck) {
		time.Sleep(pause)
		signalGroup(p.cmd.Process, kill)
	}
}

// drain waits for what is still in the pipes. Only a process that left the
// group can hold them open now.
func (p *process) drain() {
	limit := time.NewTimer(drainWait)
	defer limit.Stop()
	for _, c := range []*capture{p.out, p.err} {
		select {
		case <-c.done:
		case <-limit.C:
			p.held = true
			limit.Reset(0)
		}
		c.stop()
	}
}

func (p *process) output() *Output {
	o := &Output{Stdout: p.out.stream(), Stderr: p.err.stream(), Jobs: p.jobs, Held: p.held}
	select {
	case <-p.exited:
		o.Code, o.Signal = exitStatus(p.cmd.ProcessState)
	default: // hangs in the kernel
		o.Code = -1
	}
	return o
}
