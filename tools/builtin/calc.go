package builtin

import (
	"context"
	_ "embed"

	"github.com/localagent/localagent/tools"
)

//go:embed calc.md
var calcDoc string

type calcArgs struct {
	Expr string `json:"expr"`
}

// calc returns text for a finite number, since no digit may be lost on the
// way, and a float for the others, which the encoder turns into words.
func calc(_ context.Context, _ tools.Call, in calcArgs) (any, error) {
	x, err := eval(in.Expr)
	if err != nil {
		return nil, err
	}
	if !x.isFinite() {
		return x.float, nil
	}
	return x.String(), nil
}
