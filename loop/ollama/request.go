package ollama

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/localagent/localagent/loop"
)

const (
	maxOwnWindow     = 16384 // asked for when nobody said more
	unknownWindow    = 4096  // asked for when nothing is known of the model
	defaultKeepAlive = 30 * time.Minute
	variedFloor      = 0.3 // least temperature of a varied request: at 0 a seed changes nothing
	defaultHeat      = 0.8 // the server's temperature when nobody sets one
)

// chatRequest is what the server is asked. It depends on its arguments alone,
// and only the messages differ between the requests of a run, retries apart:
// another window or shift would reload the model, another prefix would be read
// anew.
func (m *Model) chatRequest(req *loop.Request, info Info) (*api.ChatRequest, error) {
	think, err := m.think(req)
	if err != nil {
		return nil, err
	}
	keep, err := keepAlive(m.KeepAlive)
	if err != nil {
		return nil, err
	}
	if _, err := json.Marshal(m.Options); err != nil {
		return nil, fmt.Errorf("ollama: options: %w", err)
	}
	no := false
	return &api.ChatRequest{
		Model:     m.Name,
		Messages:  messages(req.Messages),
		Format:    req.Schema,
		KeepAlive: &api.Duration{Duration: keep},
		Options:   m.options(req, info),
		Think:     think,
		Truncate:  &no, // a prompt that does not fit is an error, not cut
		Shift:     &no, // at the limit the reply ends; the window's middle is not forgotten
	}, nil
}

func messages(ms []loop.Message) []api.Message {
	out := make([]api.Message, len(ms))
	for i, m := range ms {
		out[i] = api.Message{Role: string(m.Role), Content: m.Content}
	}
	return out
}

// think is false when nobody asked: models that can think do so when the field
// is missing.
func (m *Model) think(req *loop.Request) (*api.ThinkValue, error) {
	switch m.Think {
	case "", "false":
		return &api.ThinkValue{Value: false}, nil
	case "true", "low", "medium", "high", "max":
	default:
		return nil, fmt.Errorf("ollama: think is %q, expecting true, false, low, medium, high or max", m.Think)
	}
	switch {
	case req.NoThink:
		return &api.ThinkValue{Value: false}, nil
	case m.Think == "true":
		return &api.ThinkValue{Value: true}, nil
	}
	return &api.ThinkValue{Value: m.Think}, nil
}

// keepAlive reads a duration as Ollama does: with a unit, or in seconds;
// negative means for ever.
func keepAlive(s string) (time.Duration, error) {
	if s == "" {
		return defaultKeepAlive, nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("ollama: keep-alive is %q, expecting a duration as 30m, seconds, or -1", s)
	}
	return d, nil
}

// options are the user's, then what the loop needs.
func (m *Model) options(req *loop.Request, info Info) map[string]any {
	o := maps.Clone(m.Options)
	if o == nil {
		o = map[string]any{}
	}
	window := m.numCtx(info)
	o["num_ctx"] = window
	o["num_predict"] = outputLimit(req.MaxOutput, o["num_predict"], window)
	if m.Seed != nil {
		o["seed"] = *m.Seed
	}
	if m.Temp != nil {
		o["temperature"] = *m.Temp
	}
	if req.Vary > 0 {
		vary(o, req.Vary, info)
	}
	if stop := stops(info.Parameters["stop"], o["stop"]); len(stop) > 0 {
		o["stop"] = stop
	}
	return o
}

// numCtx is the window to ask for: the user's, the Modelfile's, or the model's
// own as far as a small machine can hold it.
func (m *Model) numCtx(info Info) int {
	if m.NumCtx > 0 {
		return m.NumCtx
	}
	if n, ok := integer(m.Options["num_ctx"]); ok && n > 0 {
		return n
	}
	if own := info.Parameters["num_ctx"]; len(own) > 0 {
		if n, err := strconv.Atoi(own[0]); err == nil && n > 0 {
			return n
		}
	}
	if info.Context > 0 {
		return min(info.Context, maxOwnWindow)
	}
	return unknownWindow
}

// outputLimit is the tokens of a reply: always a limit, since the server's own
// is ten times the window. A user's option can only lower it.
func outputLimit(asked int, option any, window int) int {
	if asked <= 0 {
		asked = max(1, window/4)
	}
	if n, ok := integer(option); ok && n > 0 {
		return min(n, asked)
	}
	return asked
}

// vary makes the n-th variation of a request: another seed, and a temperature
// at which that matters.
func vary(o map[string]any, n int, info Info) {
	seed, _ := integer(o["seed"])
	o["seed"] = seed + n
	if heat(o["temperature"], info) < variedFloor {
		o["temperature"] = variedFloor
	}
}

// heat is the temperature in effect.
func heat(option any, info Info) float64 {
	switch t := option.(type) {
	case float64:
		return t
	case int:
		return float64(t)
	case nil:
		if own := info.Parameters["temperature"]; len(own) > 0 {
			if t, err := strconv.ParseFloat(own[0], 64); err == nil {
				return t
			}
		}
	}
	return defaultHeat
}

// stops are the Modelfile's stop strings, which the user's would replace, and
// the user's.
func stops(own []string, option any) []string {
	all := slices.Clone(own)
	switch more := option.(type) {
	case string:
		all = append(all, more)
	case []string:
		all = append(all, more...)
	case []any:
		for _, s := range more {
			all = append(all, fmt.Sprint(s))
		}
	case int, float64:
		all = append(all, fmt.Sprint(more))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// integer reads an option's number, which is a float64 when it came as JSON.
func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), true
	}
	return 0, false
}
