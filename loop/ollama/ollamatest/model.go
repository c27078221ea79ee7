package ollamatest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Model is an installed model.
type Model struct {
	Name         string
	Size         int64
	Digest       string
	Family       string // "": llama
	Capabilities []string
	Context      int    // trained for so many tokens
	Window       int    // allocated when loaded; 0: what the request asked for
	Template     string // Go template
	Parameters   string // as /api/show prints them: a name and a value a line
}

// refuses says why the model cannot take the request, or nothing.
func (m Model) refuses(r *Request) string {
	can := func(c string) bool { return slices.Contains(m.Capabilities, c) }
	switch think := r.Field("think"); {
	case !can("completion"):
		return fmt.Sprintf("%q does not support chat", r.Model)
	case r.Field("tools") != "" && !can("tools"):
		return fmt.Sprintf("%s does not support tools", r.Model)
	case think != "" && think != "false" && think != "null" && !can("thinking"):
		return fmt.Sprintf("%q does not support thinking", r.Model)
	}
	return ""
}

func (s *Server) show(w http.ResponseWriter, req *Request) {
	m, ok := s.model(req.Model)
	if !ok {
		fail(w, http.StatusNotFound, notFound(req.Model))
		return
	}
	family := m.family()
	respond(w, map[string]any{
		"template": m.Template, "parameters": m.Parameters, "capabilities": m.Capabilities,
		"details": m.details(),
		"model_info": map[string]any{
			"general.architecture":     family,
			family + ".context_length": m.Context,
		},
	})
}

func (m Model) family() string { return cmp.Or(m.Family, "llama") }

func (m Model) details() map[string]any {
	return map[string]any{"format": "gguf", "family": m.family(), "parameter_size": "1B", "quantization_level": "Q4_K_M"}
}

func (s *Server) tags(w http.ResponseWriter) {
	models := []any{}
	for _, m := range s.Models {
		models = append(models, map[string]any{
			"name": m.fullName(), "model": m.fullName(), "size": m.Size, "digest": m.Digest,
			"modified_at": created, "details": m.details(),
		})
	}
	respond(w, map[string]any{"models": models})
}

// fullName is the name with its tag, as the server lists it.
func (m Model) fullName() string {
	if strings.Contains(m.Name, ":") {
		return m.Name
	}
	return m.Name + ":latest"
}

func (s *Server) ps(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	models := []any{}
	for _, m := range s.Models {
		if window, ok := s.loaded[m.Name]; ok {
			models = append(models, map[string]any{
				"name": m.fullName(), "model": m.fullName(), "size": m.Size, "digest": m.Digest,
				"details": m.details(), "expires_at": time.Now().Add(time.Hour), "context_length": window,
			})
		}
	}
	respond(w, map[string]any{"models": models})
}
