package main

import (
	"os"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/loop/replay"
)

// newModel is the model that the flags name.
func (e *env) newModel(o *options) (loop.Model, error) {
	if file, ok := strings.CutPrefix(o.model, "replay:"); ok {
		return openReplay(file)
	}
	if o.model == "" {
		return nil, usageErrorf("no model: name one with -m, or with LOCALAGENT_MODEL")
	}
	m := &ollama.Model{Name: o.model, Host: o.host, NumCtx: o.numCtx}
	if o.changed("seed") {
		m.Seed = &o.seed
	}
	if o.changed("temperature") {
		m.Temp = &o.temperature
	}
	return m, nil
}

func openReplay(file string) (*replay.Model, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &statusError{exitUsage, err}
	}
	defer f.Close()
	m, err := replay.Read(f)
	if err != nil {
		return nil, usageErrorf("%s: %v", file, err)
	}
	return m, nil
}
