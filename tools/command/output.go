package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/internal/cut"
	"github.com/localagent/localagent/tools/internal/proc"
)

// success is the result of a program that exited with 0.
func success(o *proc.Output, room int) tools.Result {
	r := tools.Result{Status: tools.OK, ExitCode: &o.Code}
	if r.Text, r.Truncated = output(&o.Stdout, room); r.Text != "" {
		return fitted(r, room)
	}
	var errs string
	r.Text = "no output"
	if errs, r.Truncated = output(&o.Stderr, room); errs != "" {
		r.Text += "; on the error stream:\n" + errs
	}
	return fitted(r, room)
}

// failure is the result of one that did not. What it printed before may help.
func failure(o *proc.Output, room int) tools.Result {
	r := tools.Result{Status: tools.Failed, ExitCode: &o.Code, Text: o.Status()}
	errs, cut1 := output(&o.Stderr, room/2)
	out, cut2 := output(&o.Stdout, room/2)
	if errs != "" {
		r.Text += ": " + errs
	}
	if out != "" {
		r.Text += "\noutput:\n" + out
	}
	r.Truncated = cut1 || cut2
	return fitted(r, room)
}

const noteRoom = 100 // bytes of the note in output

// output is what fits of a stream, and whether that is less than all of it.
func output(s *proc.Stream, room int) (text string, partly bool) {
	if s.Whole() {
		if text := compact(append(s.Head[:len(s.Head):len(s.Head)], s.Tail...)); len(text) <= room {
			return text, false
		}
	}
	head, tail, left := s.Show(max(0, room-noteRoom), math.MaxInt)
	note := fmt.Sprintf("\n[%d of %d bytes left out here; ask for less at a time]\n", left, s.Size)
	return strings.TrimSpace(strings.TrimSuffix(head, "\n") + note + tail), true
}

// compact is text without white space around it, or JSON without any.
func compact(b []byte) string {
	b = bytes.TrimSpace(b)
	var short bytes.Buffer
	if json.Compact(&short, b) == nil {
		b = short.Bytes()
	}
	return cut.Valid(b)
}

// fitted cuts a result that has hardly room for its own words.
func fitted(r tools.Result, room int) tools.Result {
	if len(r.Text) > room {
		r.Text, r.Truncated = r.Text[:cut.End(r.Text, room)], true
	}
	return r
}

// oneLine is JSON without line breaks: no value that fits a schema has any
// outside its strings, where they are escaped.
func oneLine(args json.RawMessage) []byte {
	var b bytes.Buffer
	if len(args) == 0 {
		return []byte("{}")
	}
	if json.Compact(&b, args) != nil {
		return args
	}
	return b.Bytes()
}
