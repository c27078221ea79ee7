package loop

import (
	"fmt"
	"strings"

	"github.com/localagent/localagent/parse"
)

// A fresh request asks again for a reply that could not be used. It has as many
// messages as the first one and nothing of the bad reply in it. A server with a
// fixed seed would write the same again, so each differs: in its sampling, in a
// line at the end of the last message, in the room for the reply when that was
// cut, and the last one in a schema that the reply must fit.

// freshRequest is the attempt-th request after first, from 1. p is what was
// wrong with the reply before; room is how many tokens a reply may have at most.
func freshRequest(first *Request, attempt int, p parse.Problem, finish parse.Finish, sample string, room int) *Request {
	req := *first
	req.Vary = attempt
	req.NoThink = p.Reason == parse.ReasonUnfinishedThinking || p.Reason == parse.ReasonEmpty
	if finish == parse.FinishLength {
		req.MaxOutput = max(req.MaxOutput, min(req.MaxOutput<<attempt, room))
	}
	req.Messages = withReminder(first.Messages, reminder(p, finish, sample))
	return &req
}

// reminder is one line that says what was wrong and what would be right. It
// quotes nothing of the reply, which a model would only write again.
func reminder(p parse.Problem, finish parse.Finish, sample string) string {
	line := "Your last reply could not be used: " + fault(p, finish) + "."
	if p.Expected == answerThatFits {
		return line + " Write that JSON and nothing else."
	}
	if cure := cures[p.Reason]; cure != "" {
		return line + " " + cure
	}
	if strings.Contains(sample, "\n") || sample == "" {
		return line + " Write the call again in the form described above, or answer in plain text."
	}
	return line + " Write a call exactly like " + sample + " or answer in plain text."
}

// cures say more than "write it right".
var cures = map[parse.Reason]string{
	parse.ReasonEmpty:              "Write the next tool call, or the answer in plain text.",
	parse.ReasonUnfinishedThinking: "Think briefly, then write the next tool call or the answer.",
	parse.ReasonRepetition:         "Write it once: one tool call, or the answer in plain text.",
	parse.ReasonTooLarge:           "Write one short tool call, or a short answer.",
	parse.ReasonReactConflict:      "Write either the tool call or the final answer, not both.",
}

// answerThatFits is what is expected when an answer is held to a schema.
const answerThatFits = "an answer that fits the schema"

// fewerCalls is what is expected when the results of the calls could not fit.
const fewerCalls = "fewer calls"

// fault names what was wrong, and where.
func fault(p parse.Problem, finish parse.Finish) string {
	switch p.Expected {
	case answerThatFits:
		return "it is not JSON that fits the schema of the answer"
	case fewerCalls:
		return "it held more tool calls than there is room for results"
	}
	switch p.Reason {
	case parse.ReasonEmpty:
		return "it was empty"
	case parse.ReasonUnfinishedThinking:
		return "it was all thought and held no answer"
	case parse.ReasonRepetition:
		return "it repeated itself without end"
	case parse.ReasonTooLarge:
		return "it was far too long"
	case parse.ReasonReactConflict:
		return "it held both a call and a final answer"
	case parse.ReasonTruncated:
		if finish == parse.FinishLength {
			return at("the tool call was cut off at the output limit", p) + "; make it shorter, and split long content over several calls"
		}
		return at("the tool call was cut off before its end", p)
	case parse.ReasonBadArgs:
		return at("the arguments of the tool call are not one JSON object", p)
	case parse.ReasonDuplicateKey:
		return at("the tool call has the same key twice", p)
	case parse.ReasonAmbiguous:
		return at("the tool call can be read in more than one way", p)
	case parse.ReasonSchemaEcho:
		return at("it repeats the description of the parameters instead of giving values", p)
	case parse.ReasonTooDeep:
		return at("the tool call is nested too deeply", p)
	}
	return at("the tool call is not valid JSON", p)
}

func at(fault string, p parse.Problem) string {
	if p.Expected != "" {
		return fmt.Sprintf("%s (at byte %d, where %s was expected)", fault, p.Offset, p.Expected)
	}
	return fmt.Sprintf("%s (at byte %d)", fault, p.Offset)
}

// schemaReminder describes the schema of the last try: a server does not show
// it to the model.
const schemaReminder = ` This time write one JSON object and nothing else: {"tool": NAME, "args": {…}} to call a tool, or {"answer": …} with the answer in it.`

// answerReminder asks for an answer that fits [Agent.Schema].
func answerReminder(schema string, why error) string {
	return fmt.Sprintf("Write the final answer now as one JSON value that fits this schema and nothing else: %s\nWhat you wrote did not: %s.", schema, parse.Defuse(oneLine(why.Error(), 300)))
}

// oneLine is the text on one line, at most n bytes of it.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
