package loop

import (
	"os"
	"testing"

	"github.com/localagent/localagent/tools"
	"github.com/localagent/localagent/tools/builtin"
)

// maxPrompt is how long the system message may be with the five default tools:
// it is read with every request of a model that may run on a processor alone.
const maxPrompt = 1600

func TestPromptSize(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	set := tools.NewSet(builtin.All(builtin.Options{Root: root})...)
	var ts []*tools.Tool
	for _, name := range builtin.Default() {
		ts = append(ts, set.Lookup(name))
	}
	prompt := systemPrompt("", ts, "", nil)
	if len(prompt) > maxPrompt {
		t.Errorf("%d bytes, want at most %d", len(prompt), maxPrompt)
	}
	t.Logf("%d bytes:\n%s", len(prompt), prompt)
}
