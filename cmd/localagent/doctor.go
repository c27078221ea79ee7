package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/ollama"
	"github.com/spf13/pflag"
)

func doctorCommand() *command {
	return &command{
		name:    "doctor",
		args:    "[flags]",
		summary: "what is there and what is in effect; --probe tries a model",
		about: "Looks for the Ollama server and its models, shows the window that a run would really have, where every setting comes from, and what may run without asking. " +
			"Status 6 when a run could not reach a model.\n" +
			"With --probe it gives the model three small tasks in each dialect, shows how it did, and remembers the best dialect for this model.",
		examples: []example{
			{`localagent doctor`, "look around"},
			{`localagent doctor --probe -m gemma3:4b`, "which dialect does this model call best in?"},
		},
		groups:     []group{{"Doctor", addDoctorFlags}, modelGroup, {"Tools", addDoctorToolFlags}},
		run:        runDoctor,
		configured: true,
		graceful:   true,
		alone:      true,
	}
}

func addDoctorFlags(f *pflag.FlagSet, o *options) {
	f.BoolVar(&o.probe, "probe", false, "try the model with small tasks and remember its best dialect")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

func addDoctorToolFlags(f *pflag.FlagSet, o *options) {
	addCwdFlag(f, o)
	addPermissionFlags(f, o)
}

// A finding is one thing that the doctor looked at.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"` // where a setting comes from
	Cure   string `json:"cure,omitempty"`
}

// An examination is all that the doctor found.
type examination struct {
	OK       bool          `json:"ok"`
	Findings []finding     `json:"findings"`
	Models   []modelInfo   `json:"models"`
	Probe    []probeResult `json:"probe,omitempty"`
	Best     string        `json:"best,omitempty"` // dialect

	server  bool // it says which models there are
	backend bool // a model can be reached
}

func (x *examination) good(what, text, source string) {
	x.Findings = append(x.Findings, finding{What: what, OK: true, Text: text, Source: source})
}

func (x *examination) bad(what, text, cure string) {
	x.Findings = append(x.Findings, finding{What: what, Text: text, Cure: cure})
}

func runDoctor(ctx context.Context, e *env, o *options, _ []string) error {
	x := &examination{Models: []modelInfo{}}
	client := &ollama.Client{Host: o.host}
	x.good("version", version(), "")
	e.examineServer(ctx, o, client, x)
	e.examineModel(ctx, o, client, x)
	e.examineSettings(o, x)
	e.examineState(x)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	x.OK = true
	for _, f := range x.Findings {
		x.OK = x.OK && f.OK
	}
	if !o.json {
		x.print(e.out)
	}
	var err error
	if o.probe {
		err = e.probeModel(ctx, o, x)
	}
	if o.json {
		if err := printJSON(e.out, x); err != nil {
			return err
		}
	}
	if err == nil && !x.backend {
		err = exit(exitBackend)
	}
	return err
}

func (x *examination) print(s *screen) {
	for _, f := range x.Findings {
		mark, look := "✓", styleGood
		if !f.OK {
			mark, look = "✗", styleError
		}
		const indent = "               "
		source := ""
		if f.Source != "" {
			source = " (" + f.Source + ")"
		}
		text, unbroken := strings.CutSuffix(s.fold(f.Text+source, len(indent), indent), source)
		if !unbroken {
			source = ""
		}
		s.put(span{look, mark}, fmt.Sprintf(" %-12s ", f.What), text, span{styleDim, source}, "\n")
		if f.Cure != "" {
			s.put(indent, s.fold(f.Cure, len(indent), indent), "\n")
		}
	}
}

// examineServer looks for the server and its models.
func (e *env) examineServer(ctx context.Context, o *options, client *ollama.Client, x *examination) {
	host, err := client.URL()
	if err != nil {
		x.bad("host", plainText(err), "")
		return
	}
	x.good("host", host, o.cfg.sourceOf("host"))
	v, err := answer(ctx, e.patience, client.Version)
	if err != nil {
		x.bad("server", plainText(err), serverCure(err))
		return
	}
	x.good("server", "Ollama "+v, "")
	models, err := e.readModels(ctx, client)
	if err != nil {
		x.bad("models", plainText(err), "")
		return
	}
	x.Models, x.server = models, true
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Name
	}
	if len(names) == 0 {
		x.bad("models", "none is installed", "ollama pull qwen2.5:3b")
		return
	}
	x.good("models", strings.Join(names, ", "), "")
}

// serverCure says how to get a server that answers.
func serverCure(err error) string {
	var m *loop.ModelError
	if errors.Is(err, errSilent) {
		return cureSilent
	}
	if errors.As(err, &m) && m.Kind != loop.Unreachable && m.Cure != "" {
		return m.Cure
	}
	return "start it with `ollama serve`; to install it, see ollama.com/download"
}

// examineModel looks at the model that a run would use.
func (e *env) examineModel(ctx context.Context, o *options, client *ollama.Client, x *examination) {
	if isReplay(o.model) {
		x.good("model", o.model, o.cfg.sourceOf("model"))
		x.backend = true
		return
	}
	source := o.cfg.sourceOf("model")
	if o.model == "" && len(x.Models) == 1 {
		o.model, source = x.Models[0].Name, "the only one"
	}
	if o.model == "" {
		if len(x.Models) > 1 {
			x.backend = true
			x.bad("model", "none is named", "name one with -m, LOCALAGENT_MODEL or the config")
		}
		return
	}
	if err := o.applyModel(); err != nil {
		x.bad("config", err.Error(), "")
	}
	if !x.server {
		x.good("model", o.model, source)
		return
	}
	var info *modelInfo
	for i, m := range x.Models {
		if ollama.SameModel(m.Name, o.model) {
			info = &x.Models[i]
		}
	}
	if info == nil {
		x.bad("model", o.model+" is not installed", "ollama pull "+o.model)
		return
	}
	x.backend = true
	x.good("model", fmt.Sprintf("%s, %s, %s", info.Name, cmp.Or(info.Scale, info.Family), bytesText(info.Size)), source)
	x.good("dialect", dialectText(*info), "")
	e.examineWindow(ctx, o, info, x)
}

// examineWindow says how much a run could really use, and why.
func (e *env) examineWindow(ctx context.Context, o *options, info *modelInfo, x *examination) {
	m, err := o.ollamaModel()
	if err != nil {
		x.bad("window", plainText(err), "")
		return
	}
	window, err := m.Window(ctx)
	if err != nil {
		x.bad("window", plainText(err), "")
		return
	}
	loaded := "not loaded"
	if info.Loaded > 0 {
		loaded = "loaded with " + thousands(info.Loaded)
	}
	text := fmt.Sprintf("%s tokens; trained for %s, %s", thousands(window), tokensText(info.Context, "an unknown number"), loaded)
	if info.Loaded > 0 && info.Loaded < window {
		x.bad("window", text, "the server gives less than is asked for: raise OLLAMA_CONTEXT_LENGTH, or free memory")
		return
	}
	x.good("window", text, o.cfg.sourceOf("num-ctx"))
}

// examineSettings shows the config and what may run without asking.
func (e *env) examineSettings(o *options, x *examination) {
	if len(o.cfg.files) == 0 {
		x.good("config", "none", "")
	}
	for _, f := range o.cfg.files {
		x.good("config", f, "")
	}
	for _, flag := range slices.Sorted(maps.Keys(o.cfg.sources)) {
		if f := o.set.Lookup(flag); f != nil && !slices.Contains([]string{"host", "model", "num-ctx", "probe", "json", "config"}, flag) {
			x.good(flag, f.Value.String(), o.cfg.sources[flag])
		}
	}
	root, err := openRoot(o)
	if err != nil {
		x.bad("folder", err.Error(), "")
		return
	}
	defer root.Close()
	a, err := e.approver(o, root)
	if err != nil {
		x.bad("permission", err.Error(), "")
		return
	}
	for i, line := range strings.Split(strings.TrimSpace(a.describe()), "\n") {
		name := "permission"
		if i > 0 {
			name = ""
		}
		x.good(name, strings.TrimSpace(line), "")
	}
}

// examineState looks at the folder that the command writes to.
func (e *env) examineState(x *examination) {
	dir := e.stateDir()
	if err := tryFolder(dir); err != nil {
		x.bad("state", err.Error(), "set LOCALAGENT_STATE_DIR to a folder that can be written to")
		return
	}
	x.good("state", filepath.Clean(dir), "sessions, history, measured dialects")
}

// tryFolder writes a file to the folder, which is made if need be.
func tryFolder(dir string) error {
	if dir == "" {
		return errors.New("there is no HOME: nothing is recorded")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// probeModel tries the model in every dialect, or in the one that was asked for,
// and remembers the best.
func (e *env) probeModel(ctx context.Context, o *options, x *examination) error {
	if !x.backend {
		return nil
	}
	model, header, err := e.newModel(ctx, o)
	if err != nil {
		return err
	}
	say := func(parts ...any) {
		if !o.json {
			e.out.put(parts...)
		}
	}
	say("\n", fmt.Sprintf("%s, %s in each dialect:", header.Model, plural(len(probeTasks), "task")), "\n")
	best, err := e.probeDialects(ctx, o, model, x)
	if err != nil {
		return err
	}
	if !o.json {
		printProbe(e.out, x.Probe, best)
	}
	r := x.Probe[best]
	switch {
	case r.Error != "":
		return &statusError{exitBackend, errors.New(r.Error)}
	case r.Right == 0:
		say("No dialect worked: this model may be too small for tools.\n")
		return nil
	}
	x.Best = r.Dialect
	if o.changed("dialect") || header.Digest == "" {
		return nil
	}
	if err := e.dialects().keep(header.Digest, x.Best); err != nil {
		return err
	}
	say("Remembered for this model: " + x.Best + "\n")
	return nil
}

// probeDialects tries the dialects and says which one was best, as an index of
// x.Probe. Somebody at a terminal sees which one is being tried.
func (e *env) probeDialects(ctx context.Context, o *options, model loop.Model, x *examination) (best int, err error) {
	trying := func(string) {}
	if e.err.canMove() {
		st := newStatus(e.err, e.out)
		defer st.close()
		trying = st.show
	}
	for _, dialect := range dialectNames[1:] {
		if o.changed("dialect") && o.dialect != "auto" && o.dialect != dialect {
			continue
		}
		trying("trying " + dialect)
		r := probe(ctx, model, dialect, o.numCtx)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		x.Probe = append(x.Probe, r)
		if i := len(x.Probe) - 1; r.better(x.Probe[best]) {
			best = i
		}
	}
	return best, nil
}
