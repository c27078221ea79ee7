package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/loop/session"
	"github.com/localagent/localagent/parse"
)

const replayPrefix = "replay:"

func isReplay(model string) bool { return strings.HasPrefix(model, replayPrefix) }

// A modelHeader is what is known of a model beside the model itself.
type modelHeader struct {
	session.Header
	dialect parse.Dialect
	trouble error // with the model, that a request will run into; nil: none is known
}

// newModel is the model that the options name, or the only one there is.
func (e *env) newModel(ctx context.Context, o *options) (loop.Model, modelHeader, error) {
	h := modelHeader{Header: session.Header{Model: o.model}}
	if file, ok := strings.CutPrefix(o.model, replayPrefix); ok {
		m, err := await(ctx, e, file+"…", func() (*replay.Model, error) { return openReplay(file) })
		h.NumCtx = o.numCtx
		h.dialect = dialectOf(o.dialect, "")
		h.Dialect = string(h.dialect)
		return m, h, err
	}
	client := &ollama.Client{Host: o.host}
	host, err := client.URL()
	if err != nil {
		return nil, h, &statusError{exitUsage, err}
	}
	if o.model == "" {
		name, err := e.onlyModel(ctx, client)
		if err != nil {
			return nil, h, err
		}
		o.model = name
	}
	if err := o.applyModel(); err != nil {
		return nil, h, err
	}
	h.Model, h.Host, h.NumCtx = o.model, host, o.numCtx
	h.Digest, h.trouble = e.digestOf(ctx, client, o.model)
	h.dialect = dialectOf(o.dialect, e.dialects().of(h.Digest))
	h.Dialect = string(h.dialect)
	m, err := o.ollamaModel()
	return m, h, err
}

// ollamaModel is the model with all that the flags say of it.
func (o *options) ollamaModel() (*ollama.Model, error) {
	extra, err := readModelOptions(o.modelOptions)
	if err != nil {
		return nil, err
	}
	m := &ollama.Model{
		Name: o.model, Host: o.host, NumCtx: o.numCtx,
		Options: extra, KeepAlive: o.keepAlive, Think: o.think,
	}
	if o.think == "false" {
		m.Think = ""
	}
	if o.changed("seed") {
		m.Seed = &o.seed
	}
	if o.changed("temperature") {
		m.Temp = &o.temperature
	}
	return m, nil
}

// readModelOptions reads KEY=VALUE words. A value is a number or a boolean when
// it looks like one.
func readModelOptions(words []string) (map[string]any, error) {
	if len(words) == 0 {
		return nil, nil
	}
	m := make(map[string]any)
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return nil, usageErrorf("flag --option: want KEY=VALUE, got %q", w)
		}
		m[key] = optionValue(value)
	}
	return m, nil
}

func optionValue(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) { // which JSON has not
		return f
	}
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	return s
}

func openReplay(file string) (*replay.Model, error) {
	if file == "" {
		return nil, usageErrorf("flag --model: want the name of a file behind %s", replayPrefix)
	}
	f, err := openInput(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := readReplay(bufio.NewReader(f))
	if err != nil {
		return nil, usageErrorf("%s: %v", file, err)
	}
	return m, nil
}

// readReplay reads recorded replies, or those in the log of a session.
func readReplay(r *bufio.Reader) (*replay.Model, error) {
	const logStart = `{"v":` // of every line, and of no reply
	if start, _ := r.Peek(len(logStart)); string(start) != logStart {
		return replay.Read(r)
	}
	m := &replay.Model{}
	for said, err := range session.Replay(r) {
		if err != nil {
			return nil, err
		}
		reply := replay.Reply{Text: said.Raw}
		if said.Finish == parse.FinishLength {
			reply.Finish = "length"
		}
		if !strings.Contains(said.Raw, said.Was.Thinking) { // it came beside the text
			reply.Thinking = said.Was.Thinking
		}
		m.Replies = append(m.Replies, reply)
	}
	if len(m.Replies) == 0 {
		return nil, errors.New("no replies in this log")
	}
	return m, nil
}

// withoutModel is what works on a machine without Ollama or a model.
const withoutModel = "  without one:   localagent demo          (or -m replay:FILE)"

// onlyModel is the model to use when none is named: the only one installed.
func (e *env) onlyModel(ctx context.Context, client *ollama.Client) (string, error) {
	models, err := e.listModels(ctx, client)
	switch {
	case err != nil:
		return "", err
	case len(models) == 1:
		return models[0].Name, nil
	case len(models) == 0:
		return "", &statusError{exitBackend, errors.New("no model is installed\n" +
			"  to get one:    ollama pull qwen2.5:3b   (there are more at ollama.com/library)\n" + withoutModel)}
	}
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	return "", usageErrorf("no model: name one with -m or LOCALAGENT_MODEL; installed are %s", strings.Join(names, ", "))
}

// listModels asks the server which models it has.
func (e *env) listModels(ctx context.Context, client *ollama.Client) ([]ollama.Info, error) {
	models, err := answer(ctx, e.patience, client.Models)
	if err != nil {
		return nil, e.noServer(client, err)
	}
	return models, nil
}

// patience is how long a server may take for an answer that no model has a part
// in. One that takes longer hangs, or is none.
const patience = 10 * time.Second

// errSilent is that a server took a question and said nothing.
var errSilent = errors.New("no answer")

// answer asks a server something that it can say at once.
func answer[T any](ctx context.Context, patience time.Duration, ask func(context.Context) (T, error)) (T, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%w within %v", errSilent, patience))
	defer cancel()
	said, err := ask(bounded)
	if err != nil && bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	return said, err
}

// noServer says of a server that gave no list of its models where it is, and what
// to do: a first run on a machine without Ollama, or a wrong address.
func (e *env) noServer(client *ollama.Client, err error) error {
	host, bad := client.URL()
	if bad != nil {
		return &statusError{exitUsage, bad}
	}
	var m *loop.ModelError
	switch {
	case errors.Is(err, errSilent):
		return &statusError{exitBackend, fmt.Errorf("%s: %w. %s", host, err, cureSilent)}
	case !errors.As(err, &m): // the run was ended
		return err
	case m.Kind == loop.Unreachable:
		return &statusError{exitBackend, errors.New("no Ollama server answers at " + host + "\n" +
			"  to start it:   ollama serve             (to install it: ollama.com/download)\n" + withoutModel)}
	}
	text := plainText(err)
	if !strings.Contains(text+m.Cure, host) {
		text = host + ": " + text
	}
	if m.Cure != "" {
		text += ". " + m.Cure
	}
	return &statusError{exitBackend, errors.New(text)}
}

// cureSilent is what to do about a server that takes a question and is silent.
const cureSilent = "Check that Ollama listens there, or restart it."

// systemText is what the model is told first: --system, --system-file, and the
// instructions.
func (e *env) systemText(ctx context.Context, o *options) (string, error) {
	var parts []string
	for _, part := range []struct{ text, file string }{{o.system, o.systemFile}, {"", o.instructions}} {
		if part.text != "" {
			parts = append(parts, part.text)
		}
		if part.file == "" {
			continue
		}
		b, err := e.readBytes(ctx, part.file)
		if err != nil {
			return "", err
		}
		parts = append(parts, properText(string(b)))
	}
	return strings.Join(parts, "\n\n"), nil
}
