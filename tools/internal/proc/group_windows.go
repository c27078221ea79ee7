package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// There is no polite signal for a program without a window: both steps of the
// ladder end it.
const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// signalGroup ends the program and those it started, while it still runs
// itself; Windows keeps no group of a program that has ended.
func signalGroup(p *os.Process, _ syscall.Signal) {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	p.Kill()
}

func groupAlive(p *os.Process) bool { return p.Signal(syscall.Signal(0)) == nil }

func exitStatus(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }
