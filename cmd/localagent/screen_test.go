package main

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func testScreen(vars map[string]string) (*screen, *bytes.Buffer) {
	var b bytes.Buffer
	return newScreen(&b, func(name string) string { return vars[name] }), &b
}

// Nothing that is written through a screen can reach a terminal as an escape
// sequence, whichever way it goes in and however it is cut.
func TestScreenCleans(t *testing.T) {
	const foreign = "a\x1b[31mb\u009bc\x07 日\xffe\x7f"
	for _, color := range []string{"always", "never"} {
		s, b := testScreen(nil)
		s.setColor(color)
		s.put(foreign, span{styleError, foreign})
		times := 2
		for i := range foreign {
			times++
			s.Write([]byte(foreign[:i]))
			s.Write([]byte(foreign[i:]))
		}
		rest := b.String()
		for _, own := range []string{string(styleError), styleReset} {
			rest = strings.ReplaceAll(rest, own, "")
		}
		if i := firstUnclean(rest); i >= 0 {
			t.Errorf("colour %s: %q passed", color, rest[i:min(i+8, len(rest))])
		}
		if got := strings.Count(b.String(), "␛[31mb\ufffdc␇ 日\ufffde␡"); got != times {
			t.Errorf("colour %s: the text is there %d times, want %d", color, got, times)
		}
	}
}

func TestSetColor(t *testing.T) {
	for _, c := range []struct {
		when string
		tty  bool
		vars map[string]string
		want bool
	}{
		{"auto", true, map[string]string{"TERM": "xterm"}, true},
		{"auto", false, map[string]string{"TERM": "xterm"}, false},
		{"auto", true, map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", true, nil, runtime.GOOS == "windows"},
		{"never", true, nil, false},
		{"always", false, nil, true},
		{"always", true, map[string]string{"NO_COLOR": "1"}, true}, // the flag was typed later than the variable was set
	} {
		s, _ := testScreen(c.vars)
		s.tty = c.tty
		if s.setColor(c.when); s.color != c.want {
			t.Errorf("--color %s, terminal %t, %v: colour %t, want %t", c.when, c.tty, c.vars, s.color, c.want)
		}
	}
}

type brokenPipe struct{ n int }

func (b *brokenPipe) Write(p []byte) (int, error) { b.n++; return 0, syscall.EPIPE }

// After the first failed write nothing more is tried, and the program ends
// without a word.
func TestScreenBrokenPipe(t *testing.T) {
	var pipe brokenPipe
	var stderr bytes.Buffer
	e := newEnv(strings.NewReader(""), &pipe, &stderr, vars())
	e.out.put("one")
	e.out.put("two")
	if code := e.end(nil); code != exitPipe || pipe.n != 1 || stderr.Len() > 0 {
		t.Errorf("status %d, %d writes, stderr %q", code, pipe.n, stderr.String())
	}
	if !errors.Is(e.out.err, syscall.EPIPE) {
		t.Errorf("the error is %v", e.out.err)
	}
}

// Text is broken between words where a terminal is too narrow, and only there.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		tty  bool
		text string
		want string
	}{
		{true, "fits as  it is", "fits as  it is"},
		{true, "does not fit in one line", "does not fit\n  in one line"},
		{false, "does not fit in one line", "does not fit in one line"},
	} {
		s, _ := testScreen(map[string]string{"COLUMNS": "20"})
		s.tty = c.tty
		if got := s.fold(c.text, 5, "  "); got != c.want {
			t.Errorf("%q at a terminal (%v): %q, want %q", c.text, c.tty, got, c.want)
		}
	}
}

// A line of a list keeps to the width; where a terminal has next to no room, the
// text stands below.
func TestRow(t *testing.T) {
	for _, c := range []struct {
		tty     bool
		columns string
		text    string
		want    string
	}{
		{true, "30", "twenty-one columns, it", "* a name  twenty-one columns,…\n"},
		{true, "30", "twenty\ncolumns, wide", "* a name  twenty⏎columns, wide\n"},
		{true, "29", "twenty-one columns, it", "* a name  \n    twenty-one columns, it\n"},
		{true, "29", "more than twenty-five columns", "* a name  \n    more than twenty-five co…\n"},
		{false, "20", "a pipe has a line for each", "* a name  a pipe has a line f…\n"},
	} {
		s, b := testScreen(map[string]string{"COLUMNS": c.columns})
		s.tty = c.tty
		if s.row(c.text, "* ", span{styleName, "a name"}, "  "); b.String() != c.want {
			t.Errorf("%s columns of a terminal (%v): %q, want %q", c.columns, c.tty, b, c.want)
		}
	}
}

// A table that a terminal is too narrow for is a block for each row.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		tty     bool
		columns string
		want    string
	}{
		{true, "12", "NAME    SIZE\na      1 GiB\nlong  12 GiB\n"},
		{true, "11", "NAME  a\nSIZE  1 GiB\n\nNAME  long\nSIZE  12 GiB\n"},
		{false, "11", "NAME    SIZE\na      1 GiB\nlong  12 GiB\n"},
	} {
		s, b := testScreen(map[string]string{"COLUMNS": c.columns})
		s.tty = c.tty
		s.setColor("never")
		table := table{head: []string{"NAME", "SIZE"}, right: []int{1}}
		table.add("a", "1 GiB")
		table.add("long", "12 GiB")
		if table.print(s); b.String() != c.want {
			t.Errorf("%s columns of a terminal (%v): %q, want %q", c.columns, c.tty, b, c.want)
		}
	}
}

// The ^C of a key goes away, but no line with text on it.
func TestFresh(t *testing.T) {
	s, b := testScreen(map[string]string{"TERM": "xterm"})
	s.tty = true
	s.put("half a line")
	s.fresh()
	s.put("\n")
	s.fresh()
	s.put("whole\n")
	if got, want := b.String(), "half a line\n\r\x1b[Kwhole\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The status line comes late, runs on, and is gone before anything is written.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vars := map[string]string{"COLUMNS": "30"}
		s, b := testScreen(vars)
		out := newScreen(b, s.env)
		st := newStatus(s, out)
		since := func() string { // what was written since the last look
			st.mu.Lock()
			defer st.mu.Unlock()
			defer b.Reset()
			return b.String()
		}
		st.show("waiting for a model with a long name")
		time.Sleep(statusDelay / 2)
		if got := since(); got != "" {
			t.Errorf("drawn at once: %q", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if last := lastLine(since()); !strings.Contains(last, "waiting for a model with") || textWidth(strings.TrimSuffix(last, "\x1b[K")) >= 30 {
			t.Errorf("the line is %q", last)
		}
		out.put("text\n")
		if got := since(); got != "\r\x1b[Ktext\n" {
			t.Errorf("written over the line: %q", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		since()
		out.put("half a line")
		st.show("waiting")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := since(); got != "\r\x1b[Khalf a line" {
			t.Errorf("drawn over half a line: %q", got)
		}
		out.put("\n")
		st.show("waiting for a model with a long name")
		time.Sleep(time.Second)
		synctest.Wait()
		since()
		vars["COLUMNS"] = "15" // and what stood in one row stands in two
		st.show("")
		if got := since(); got != "\r\x1b[1A\x1b[J\x1b[K" {
			t.Errorf("erased on a narrower terminal: %q", got)
		}
		st.close()
		time.Sleep(time.Second)
		if got := since(); got != "" {
			t.Errorf("drawn after the end: %q", got)
		}
	})
}

func lastLine(s string) string { return s[strings.LastIndex(s, "\r")+1:] }
