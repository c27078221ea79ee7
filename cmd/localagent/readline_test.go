package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
)

// Ctrl-C ends the reading of a prompt at once, also where nothing can be edited.
// What is typed then is the next one.
func TestPlainReaderInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		var b bytes.Buffer
		p := &plainReader{r: bufio.NewReader(in), s: newScreen(&b, vars())}
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			io.WriteString(typed, "\"\"\"one\n")
			synctest.Wait() // until more lines are waited for
			cancel(errInterrupted)
		}()
		if line, err := p.readLine(ctx, "> "); line != "" || err != errInterrupted {
			t.Errorf("%q, %v, want nothing, interrupted", line, err)
		}
		go func() {
			io.WriteString(typed, "two\n")
			typed.Close()
		}()
		for _, want := range []plainRead{{"two", nil}, {"", io.EOF}} {
			if line, err := p.readLine(t.Context(), "> "); line != want.line || err != want.err {
				t.Errorf("%q, %v, want %q, %v", line, err, want.line, want.err)
			}
		}
		if got := b.String(); got != "> \n> > \n" {
			t.Errorf("the screen shows %q", got)
		}
	})
}
