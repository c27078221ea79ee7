package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/localagent/localagent/tools"
)

// A pty is a terminal, opened to read and to write, and what is in front of it:
// keyboard and screen.
type pty struct{ front, in, out *os.File }

func openPTY(t *testing.T) *pty {
	t.Helper()
	front, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { front.Close() })
	conn, err := front.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	_ = conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err != nil {
		t.Skip(err)
	}
	p := &pty{front: front}
	for _, end := range []**os.File{&p.in, &p.out} {
		if *end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { (*end).Close() })
	}
	return p
}

func (p *pty) typed(t *testing.T, text string) {
	t.Helper()
	if _, err := p.front.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// seen reads the screen until text stands on it.
func (p *pty) seen(t *testing.T, text string) string {
	t.Helper()
	_ = p.front.SetReadDeadline(time.Now().Add(10 * time.Second))
	var all strings.Builder
	for b := make([]byte, 4096); !strings.Contains(all.String(), text); {
		n, err := p.front.Read(b)
		if err != nil {
			t.Fatalf("%v; the screen shows %q", err, all.String())
		}
		all.Write(b[:n])
	}
	return all.String()
}

// A real terminal: what was typed before the question is no answer to it, be it a
// line or the beginning of one. The end of the run ends the reading.
func TestAskOnTerminal(t *testing.T) {
	p := openPTY(t)
	p.typed(t, "y\ny")
	p.seen(t, "y\r\ny") // the terminal has it
	ctx, cancel := context.WithCancel(t.Context())
	q := question{tool: "run_shell", body: "make \x1b[2J", why: "of a test"}
	got := make(chan string)
	for _, want := range []string{"n <nil>", " context canceled", "y <nil>"} {
		go func() {
			line, err := askOn(ctx, p.in, newScreen(p.out, vars()), q)
			got <- fmt.Sprint(line, " ", err)
		}()
		if screen := p.seen(t, "[q]uit > "); strings.Contains(screen, "\x1b[2J") {
			t.Errorf("the screen got an escape sequence: %q", screen)
		}
		if answer, _, _ := strings.Cut(want, " "); answer != "" {
			p.typed(t, answer+"\n")
		} else {
			p.typed(t, "y") // begun, and then the run ends
			cancel()
			ctx = t.Context()
		}
		if answer := <-got; answer != want {
			t.Errorf("the answer is %q, want %q", answer, want)
		}
	}
	cancel()
}

// A reading that was given up has ended: it takes nothing from the next one.
func TestReadAnswerGivenUp(t *testing.T) {
	p := openPTY(t)
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Microsecond, cancel)
		if line, err := readAnswer(ctx, p.in); err != context.Canceled {
			t.Fatal(line, err)
		}
		p.typed(t, "no\n")
		if line, err := readAnswer(t.Context(), p.in); line != "no" || err != nil {
			t.Fatalf("%q %v, want no", line, err)
		}
	}
}

// Ctrl-D leaves, as it does everywhere; it does not mean that nobody is there.
func TestLeaveQuestion(t *testing.T) {
	p := openPTY(t)
	got := make(chan string)
	go func() {
		line, err := askOn(t.Context(), p.in, newScreen(p.out, vars()), question{tool: "run_shell", body: "make"})
		got <- fmt.Sprint(line, " ", err)
	}()
	p.seen(t, "[q]uit > ")
	p.typed(t, "\x04")
	if answer := <-got; answer != "quit <nil>" {
		t.Errorf("the answer is %q, want quit", answer)
	}
	p.seen(t, "\n")
}

// A narrow terminal: the words of the question are kept whole, and no part of
// what is asked about stands where the question's own lines begin.
func TestNarrowQuestion(t *testing.T) {
	p := openPTY(t)
	if err := setSize(p.front, 30); err != nil {
		t.Skip(err)
	}
	body := "+rope\n+" + strings.Repeat("x", 25) + "[y]es once\t日本語日本語日本語日本語 [q]uit >"
	question{tool: "write_file", class: tools.Write, dir: "/home/ines/tour", body: body, why: "no rule allows write_file todo.md"}.show(newScreen(p.out, vars("NO_COLOR", "1")))
	screen := p.seen(t, "[q]uit > ")
	for line := range strings.Lines(screen) {
		if textWidth(strings.TrimRight(line, "\r\n")) >= 30 {
			t.Errorf("%q is too wide", line)
		}
	}
	if want := "    +rope\r\n    +" + strings.Repeat("x", 24) + "\r\n  ↪ x[y]es once\t日本語\r\n  ↪ 日本語日本語日本語 [q]uit\r\n  ↪  >\r\n"; !strings.Contains(screen, want) {
		t.Errorf("the screen shows %q, want %q in it", screen, want)
	}
}

func setSize(f *os.File, columns uint16) error {
	conn, err := f.SyscallConn()
	if err == nil {
		_ = conn.Control(func(fd uintptr) {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: columns})
		})
	}
	return err
}
