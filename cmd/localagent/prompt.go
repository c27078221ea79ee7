package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localagent/localagent/loop"
)

// The rule of the prompt:
//
//   - The arguments, joined by spaces, are the instruction.
//   - Stdin is read when it is a pipe or a file, or when an argument is "-".
//   - Piped text beside an instruction is an attachment, before the
//     instruction or where the "-" stands. Alone it is the prompt itself.
//   - All of stdin is one prompt, however many lines. A byte order mark is
//     dropped, CR LF becomes LF, bytes that are not UTF-8 become U+FFFD (and
//     stderr says so), line breaks at the end are cut.

// maxInput is the size of piped text and of each -f file. It is far beyond any
// context window; it keeps a mistake from filling the memory.
const maxInput = 64 << 20

// readNotice is how long stdin, or a file, may stay silent before the user is told
// that it is waited for.
const readNotice = 2 * time.Second

var errNoPrompt = usageErrorf("no prompt: give one as arguments or on stdin (localagent help has examples)")

// readPrompt makes the prompt of a run from arguments, stdin and files.
func (e *env) readPrompt(ctx context.Context, args, files []string) (loop.Prompt, error) {
	instruction, at, err := instructionOf(args)
	if err != nil {
		return loop.Prompt{}, err
	}
	p := loop.Prompt{Text: instruction}
	if p.Attachments, err = e.readFiles(ctx, files); err != nil {
		return p, err
	}
	if at < 0 && !isPiped(e.stdin) {
		return p, nil
	}
	piped, err := e.readStdin(ctx)
	switch {
	case err != nil:
		return p, err
	case strings.TrimSpace(piped) == "":
	case instruction == "":
		p.Text = piped
	default:
		p.Attachments = append(p.Attachments, loop.Attachment{Name: "stdin", Text: piped, At: max(at, 0)})
	}
	return p, nil
}

// instructionOf joins the arguments. at is the place of a "-" among them, where
// the piped text goes: a byte offset, -1 when there is none.
func instructionOf(args []string) (text string, at int, err error) {
	at = -1
	var words []string
	for _, a := range args {
		switch {
		case a != "-":
			words = append(words, a)
		case at >= 0:
			return "", 0, usageErrorf(`"-" stands twice: the piped text can go to one place only`)
		default:
			at = len(strings.Join(words, " "))
		}
	}
	text = strings.Join(words, " ")
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	return text, at, nil
}

// readStdin reads all of stdin as text.
func (e *env) readStdin(ctx context.Context) (string, error) {
	return await(ctx, e, "stdin… (Ctrl-D ends it)", func() (string, error) { return e.readText(e.stdin, "stdin") })
}

// await calls read, which may wait for somebody who writes into a pipe, and for
// ever. It gives up when ctx ends, and says that it waits when nothing comes and
// somebody looks.
func await[T any](ctx context.Context, e *env, name string, read func() (T, error)) (T, error) {
	type result struct {
		read T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		t, err := read()
		done <- result{t, err}
	}()
	notice := time.NewTimer(readNotice)
	defer notice.Stop()
	for {
		select {
		case r := <-done:
			return r.read, r.err
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		case <-notice.C:
			if e.err.tty {
				e.note("reading " + name)
			}
		}
	}
}

// readFiles makes attachments of files.
func (e *env) readFiles(ctx context.Context, names []string) ([]loop.Attachment, error) {
	var as []loop.Attachment
	for _, name := range names {
		if name == "-" {
			return nil, usageErrorf(`-f wants a file; piped text needs no flag, "-" among the arguments says where it goes`)
		}
		text, err := await(ctx, e, name+"…", func() (string, error) { return e.readFile(name) })
		if err != nil {
			return nil, err
		}
		as = append(as, loop.Attachment{Name: name, Text: text})
	}
	return as, nil
}

// readBytes reads a file that the user names.
func (e *env) readBytes(ctx context.Context, name string) ([]byte, error) {
	return await(ctx, e, name+"…", func() ([]byte, error) {
		b, err := os.ReadFile(name)
		if err != nil {
			err = &statusError{exitUsage, err}
		}
		return b, err
	})
}

// readFile reads a file as text.
func (e *env) readFile(name string) (string, error) {
	f, err := openInput(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return e.readText(f, name)
}

// openInput opens a file that the user names.
func openInput(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &statusError{exitUsage, err}
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, usageErrorf("%s is a folder; one file at a time", name)
	}
	return f, nil
}

// readText reads all of r and makes it proper text, as the rule above says.
func (e *env) readText(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case errors.Is(err, os.ErrClosed):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", name, err)
	case len(b) > maxInput:
		return "", usageErrorf("%s is larger than %d MiB", name, maxInput>>20)
	}
	text := properText(string(b))
	if !utf8.Valid(b) {
		e.note(name + " is not all UTF-8: the odd bytes were replaced by U+FFFD")
	}
	return text, nil
}

// properText drops a byte order mark and line breaks at the end, makes CR LF to
// LF and replaces what is not UTF-8.
func properText(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ToValidUTF8(s, "\ufffd")
	return strings.TrimRight(s, "\n")
}
