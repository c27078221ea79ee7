package inputs_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/localagent/localagent/parse/internal/inputs"
)

func TestMake(t *testing.T) {
	const n = 16 << 10
	for _, name := range append(inputs.Natural, inputs.Hostile...) {
		s := inputs.Make(name, n)
		if len(s) < n*9/10 || len(s) > n*11/10+600 {
			t.Errorf("%s has %d bytes, want about %d", name, len(s), n)
		}
		if s != inputs.Make(name, n) {
			t.Errorf("%s differs from run to run", name)
		}
		if !utf8.ValidString(s) {
			t.Errorf("%s is not valid UTF-8", name)
		}
	}
	for _, name := range []string{"bare", "write"} {
		if !json.Valid([]byte(inputs.Make(name, n))) {
			t.Errorf("%s is no valid JSON", name)
		}
	}
}
