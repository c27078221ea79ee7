//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	terminate = unix.SIGTERM
	kill      = unix.SIGKILL
)

// ownGroup starts a session, which is a process group without a terminal: what
// asks on /dev/tty fails at once.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// signalGroup signals everything of the program's session: its process group
// in one step, so that no fork slips through, then those that made a group of
// their own, as timeout(1) and shells with job control do.
//
// The number stays the group's own for as long as any process is in it, also
// after the program itself has ended.
func signalGroup(p *os.Process, sig syscall.Signal) {
	unix.Kill(-p.Pid, sig)
	ms, _ := sessionMembers(p.Pid)
	for _, pid := range ms {
		if g, err := unix.Getpgid(pid); err == nil && g != p.Pid {
			unix.Kill(pid, sig)
		}
	}
	if sig == terminate {
		unix.Kill(-p.Pid, unix.SIGCONT) // what is stopped cannot take a TERM
	}
}

// groupAlive reports whether a process of the session still runs. Ended ones
// that nobody has waited for yet do not count where they can be told apart.
func groupAlive(p *os.Process) bool {
	if ms, ok := sessionMembers(p.Pid); ok {
		return len(ms) > 0
	}
	return !errors.Is(unix.Kill(-p.Pid, 0), unix.ESRCH)
}

func exitStatus(s *os.ProcessState) (code int, signal string) {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), unix.SignalName(ws.Signal())
	}
	return s.ExitCode(), ""
}
