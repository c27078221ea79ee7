package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/localagent/localagent/loop"
)

func TestReadPrompt(t *testing.T) {
	stdin := func(text string) []loop.Attachment { return []loop.Attachment{{Name: "stdin", Text: text}} }
	for _, c := range []struct {
		name  string
		args  []string
		stdin string
		want  loop.Prompt
	}{
		{"words are joined", []string{"what", "is  here"}, "", loop.Prompt{Text: "what is  here"}},
		{"stdin alone is the prompt", nil, "what is here\n", loop.Prompt{Text: "what is here"}},
		{"both", []string{"sum", "up"}, "text\n", loop.Prompt{Text: "sum up", Attachments: stdin("text")}},
		{"a dash at the end", []string{"compare", "-"}, "text", loop.Prompt{Text: "compare", Attachments: []loop.Attachment{{Name: "stdin", Text: "text", At: 7}}}},
		{"a dash in the middle", []string{"a", "-", "b"}, "text", loop.Prompt{Text: "a b", Attachments: []loop.Attachment{{Name: "stdin", Text: "text", At: 1}}}},
		{"a dash in front", []string{"-", "b"}, "text", loop.Prompt{Text: "b", Attachments: stdin("text")}},
		{"a dash alone", []string{"-"}, "text", loop.Prompt{Text: "text"}},
		{"blank words are no instruction", []string{" "}, "text", loop.Prompt{Text: "text"}},
		{"an empty pipe", []string{"hi"}, "", loop.Prompt{Text: "hi"}},
		{"several lines are one prompt", nil, "one\ntwo\n\nthree\n\n", loop.Prompt{Text: "one\ntwo\n\nthree"}},
		{"CR LF", nil, "one\r\ntwo\r\n", loop.Prompt{Text: "one\ntwo"}},
		{"a byte order mark", nil, "\xef\xbb\xbfone", loop.Prompt{Text: "one"}},
		{"not UTF-8", nil, "a\xff\xfeb", loop.Prompt{Text: "a\ufffdb"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(strings.NewReader(c.stdin), io.Discard, io.Discard, vars())
			got, err := e.readPrompt(context.Background(), c.args, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadPromptErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		files []string
		stdin io.Reader
		want  string
	}{
		{"two dashes", []string{"-", "x", "-"}, nil, strings.NewReader(""), `"-" stands twice`},
		{"too much", nil, nil, io.LimitReader(zeros{}, maxInput+1), "stdin is larger than 64 MiB"},
		{"no such file", nil, []string{"none.txt"}, strings.NewReader(""), "none.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEnv(c.stdin, io.Discard, io.Discard, vars())
			_, err := e.readPrompt(context.Background(), c.args, c.files)
			if err == nil || !strings.Contains(err.Error(), c.want) || codeOf(err) != exitUsage {
				t.Errorf("error %v, status %d; want %q, %d", err, codeOf(err), c.want, exitUsage)
			}
		})
	}
}

// A silent stdin does not keep a cancelled program from ending.
func TestReadPromptCancelled(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&signalError{2})
	var stderr bytes.Buffer
	e := newEnv(r, io.Discard, &stderr, vars())
	_, err := e.readPrompt(ctx, nil, nil)
	if code := e.fail(err); code != 130 || stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q; want 130 and nothing", code, stderr.String())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
