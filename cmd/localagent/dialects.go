package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/localagent/localagent/loop/ollama"
	"github.com/localagent/localagent/parse"
)

// The dialects that calls can be asked for in. Which are accepted does not
// depend on it.
var dialectNames = []string{"auto", "json", "hermes", "pythonic", "react"}

// dialectOf is the dialect that a word means. auto is what was found to be best
// for the model, else canonical JSON.
func dialectOf(word, measured string) parse.Dialect {
	if word == "auto" {
		word = measured
	}
	return parse.Dialect(cmp.Or(word, measured, "json"))
}

// A dialectMemory is a file that says for each model, by digest, in which
// dialect it was found to call best.
type dialectMemory struct {
	path  string
	known map[string]string
}

// dialects reads the memory. One that cannot be read is empty.
func (e *env) dialects() *dialectMemory {
	m := &dialectMemory{path: e.statePath("dialects.json"), known: map[string]string{}}
	if b, err := os.ReadFile(m.path); err == nil {
		_ = json.Unmarshal(b, &m.known) // a damaged memory is no memory
	}
	return m
}

// of is the dialect for a model, "" if nothing is known.
func (m *dialectMemory) of(digest string) string {
	d := m.known[digest]
	if digest == "" || !slices.Contains(dialectNames[1:], d) {
		return ""
	}
	return d
}

// keep remembers the dialect of a model.
func (m *dialectMemory) keep(digest, dialect string) error {
	if digest == "" || m.path == "" {
		return nil
	}
	if m.known == nil {
		m.known = map[string]string{}
	}
	m.known[digest] = dialect
	b, err := json.MarshalIndent(m.known, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	temp := m.path + ".new"
	if err := os.WriteFile(temp, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, m.path)
}

// digestOf is the digest of an installed model. It is an error when there is no
// such model, or no server; "" alone means that it could not be told soon.
func (e *env) digestOf(ctx context.Context, client *ollama.Client, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	models, err := client.Models(ctx)
	switch {
	case ctx.Err() != nil:
		return "", nil
	case err != nil:
		return "", e.noServer(client, err)
	}
	for _, m := range models {
		if ollama.SameModel(m.Name, name) {
			return m.Digest, nil
		}
	}
	return "", &missingModel{name}
}

// A missingModel is one that the server does not have.
type missingModel struct{ name string }

func (m *missingModel) Error() string {
	return m.name + " is not installed; `ollama pull " + m.name + "` gets it, `localagent models` shows what there is"
}

// stateDir is where the command keeps what it remembers: sessions, history,
// dialects. Without a home it is "", and nothing is kept.
func (e *env) stateDir() string {
	if dir := e.getenv("LOCALAGENT_STATE_DIR"); dir != "" {
		return dir
	}
	if dir := e.getenv("XDG_STATE_HOME"); dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "localagent")
	}
	home := e.getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	if !filepath.IsAbs(home) {
		return "" // a folder of wherever the user happens to work
	}
	return filepath.Join(home, ".local", "state", "localagent")
}

// errNoState is why nothing is kept.
var errNoState = errors.New("there is no HOME; LOCALAGENT_STATE_DIR can name a folder")

// statePath is a path below stateDir, "" where there is none.
func (e *env) statePath(name string) string {
	if dir := e.stateDir(); dir != "" {
		return filepath.Join(dir, name)
	}
	return ""
}
