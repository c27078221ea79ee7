package ollama

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// A Client asks a server what it is and which models it has. The zero value
// asks the server that OLLAMA_HOST names, or else the one on this machine.
// Errors of the server are [loop.ModelError] values.
type Client struct {
	Host string // see [ParseHost]; "": OLLAMA_HOST

	once      sync.Once
	err       error // the host is bad
	url       *url.URL
	transport http.RoundTripper
}

// Info is what a server says of one model. Each question answers a part of it;
// the rest is zero.
type Info struct {
	Name   string
	Digest string
	Size   int64  // bytes: on disk, or in memory when running
	Family string // llama, qwen2, …
	Scale  string // number of parameters, as "8.2B"
	Quant  string // quantization, as "Q4_K_M"

	// Of Show:
	Capabilities []string            // completion, tools, thinking, vision, …
	Context      int                 // tokens the model was trained for
	Template     string              // of the prompt
	Parameters   map[string][]string // of the Modelfile, as num_ctx or stop

	// Of Running:
	Window int // tokens allocated
}

// URL is the address in effect, a password left out.
func (c *Client) URL() (string, error) {
	if err := c.connect(); err != nil {
		return "", err
	}
	return c.url.Redacted(), nil
}

// Version is the version of the server.
func (c *Client) Version(ctx context.Context) (string, error) {
	return query(ctx, c, (*api.Client).Version)
}

// Models lists the installed models by name.
func (c *Client) Models(ctx context.Context) ([]Info, error) {
	list, err := query(ctx, c, (*api.Client).List)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, len(list.Models))
	for i, m := range list.Models {
		infos[i] = newInfo(m.Name, m.Digest, m.Size, m.Details)
	}
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return infos, nil
}

// Running lists the models that are in memory.
func (c *Client) Running(ctx context.Context) ([]Info, error) {
	list, err := query(ctx, c, (*api.Client).ListRunning)
	if err != nil {
		return nil, err
	}
	infos := make([]Info, len(list.Models))
	for i, m := range list.Models {
		infos[i] = newInfo(m.Name, m.Digest, m.Size, m.Details)
		infos[i].Window = m.ContextLength
	}
	return infos, nil
}

// Show tells more of one model. It does not say its digest and size.
func (c *Client) Show(ctx context.Context, name string) (Info, error) {
	var show *api.ShowResponse
	err := c.do(ctx, name, func(a *api.Client) (err error) {
		show, err = a.Show(ctx, &api.ShowRequest{Model: name})
		return err
	})
	if err != nil {
		return Info{}, err
	}
	info := newInfo(name, "", 0, show.Details)
	for _, c := range show.Capabilities {
		info.Capabilities = append(info.Capabilities, string(c))
	}
	info.Context = cmp.Or(trained(show.ModelInfo), show.Details.ContextLength)
	info.Template = show.Template
	info.Parameters = parameters(show.Parameters)
	return info, nil
}

func newInfo(name, digest string, size int64, d api.ModelDetails) Info {
	return Info{
		Name: name, Digest: digest, Size: size,
		Family: d.Family, Scale: d.ParameterSize, Quant: d.QuantizationLevel,
	}
}

// trained finds the context length among the model's metadata, where the
// architecture is part of its name.
func trained(info map[string]any) int {
	arch, _ := info["general.architecture"].(string)
	if n, ok := info[arch+".context_length"].(float64); ok {
		return int(n)
	}
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if n, ok := info[key].(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// parameters reads the parameters of a Modelfile as a server prints them: a
// name and a value a line, strings quoted.
func parameters(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		if s, err := strconv.Unquote(value); err == nil {
			value = s
		}
		if name != "" {
			all[name] = append(all[name], value)
		}
	}
	return all
}

// SameModel reports whether two names mean the same model: without a tag,
// "latest" is meant.
func SameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// query asks the server something that is about no model.
func query[T any](ctx context.Context, c *Client, question func(*api.Client, context.Context) (T, error)) (said T, err error) {
	err = c.do(ctx, "", func(a *api.Client) (err error) {
		said, err = question(a, ctx)
		return err
	})
	return said, err
}

// do makes one request, about a model if it has a name. The error of a context
// that is over stays as it is.
func (c *Client) do(ctx context.Context, model string, request func(*api.Client) error) error {
	if err := c.connect(); err != nil {
		return err
	}
	x := &exchange{base: c.transport}
	err := request(api.NewClient(c.url, &http.Client{Transport: x}))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return c.explain(err, x, model)
}

func (c *Client) connect() error {
	c.once.Do(func() {
		c.url, c.err = hostFrom(c.Host)
		if c.transport == nil {
			c.transport = newTransport()
		}
	})
	return c.err
}
