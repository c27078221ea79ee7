package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
)

// A dryModel keeps the request and answers nothing.
type dryModel struct{ request *loop.Request }

func (m *dryModel) Stream(_ context.Context, req *loop.Request) iter.Seq2[loop.Chunk, error] {
	m.request = req
	return func(yield func(loop.Chunk, error) bool) {
		if yield(loop.Chunk{Text: "-"}, nil) {
			yield(loop.Chunk{Done: &loop.Done{Finish: parse.FinishStop}}, nil)
		}
	}
}

// dryRun prints the messages that the model would be sent first.
func (j *job) dryRun(ctx context.Context, p loop.Prompt) error {
	m := &dryModel{}
	agent := *j.agent
	agent.Model, agent.Record, agent.Window = m, nil, max(agent.Window, 1<<30)
	agent.Run(ctx, j.talk, p)
	if m.request == nil {
		return errors.New("the run asks nothing")
	}
	if j.o.format != formatText {
		return printJSON(j.e.out, struct {
			Messages []loop.Message  `json:"messages"`
			Schema   json.RawMessage `json:"schema,omitempty"`
		}{m.request.Messages, m.request.Schema})
	}
	for _, msg := range m.request.Messages {
		j.e.out.put(span{styleBold, "--- " + string(msg.Role) + ", " + bytesText(len(msg.Content)) + " ---"}, "\n", msg.Content, "\n")
	}
	return nil
}
