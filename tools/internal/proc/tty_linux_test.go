package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const onTerminal = "LOCALAGENT_TEST_ON_TERMINAL"

func TestMain(m *testing.M) {
	if os.Getenv(onTerminal) != "" {
		askTerminal()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// askTerminal says what this process and a program run by it find behind
// /dev/tty.
func askTerminal() {
	_, err := os.Open("/dev/tty")
	o, runErr := Run(context.Background(), sh("read x </dev/tty || echo refused"))
	fmt.Printf("here %v; there %s%v", err, o.Stdout.Head, runErr)
}

// A program cannot take the terminal of the one who runs it.
func TestNoTerminal(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer slave.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), onTerminal+"=1")
	cmd.Stdin = slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "here <nil>; there refused\n<nil>"; !strings.Contains(string(got), want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
