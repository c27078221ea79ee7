package session

import (
	"encoding/json"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/parse"
	"github.com/localagent/localagent/tools"
)

// Version is the version of the line format, the "v" of every line.
const Version = 1

// maxLine bounds a line of a log, newline included. What is longer is never
// written there, and is junk to a reader. A stream has no limit: whatever
// happens it has to reach its result.
const maxLine = 64 << 20

// The types of lines.
const (
	typeInit       = "init"
	typeMessage    = "message"
	typeText       = "text"
	typeThinking   = "thinking"
	typeRetract    = "retract"
	typeParse      = "parse"
	typeToolUse    = "tool_use"
	typeApproval   = "approval"
	typeToolResult = "tool_result"
	typeWarning    = "warning"
	typeRetry      = "retry"
	typeCompact    = "compact"
	typeStep       = "step"
	typeError      = "error"
	typeResult     = "result"
)

// head is what every line begins with.
type head struct {
	V    int    `json:"v"`
	Type string `json:"type"`
	Seq  int    `json:"seq"`
	TS   string `json:"ts"`
	Step int    `json:"step"`
}

func (h *head) setHead(to head) { *h = to }

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// content is text that may not be UTF-8; see the package comment.
type content struct {
	Content string `json:"content"`
	Raw     string `json:"raw_base64,omitempty"`
}

type initLine struct {
	head
	Session    string                     `json:"session,omitempty"`
	Version    string                     `json:"version,omitempty"`
	Model      string                     `json:"model,omitempty"`
	Digest     string                     `json:"digest,omitempty"`
	Host       string                     `json:"host,omitempty"`
	Dialect    string                     `json:"dialect,omitempty"`
	NumCtx     int                        `json:"num_ctx,omitempty"`
	Window     int                        `json:"window,omitempty"`
	Tools      []string                   `json:"tools"`
	CWD        string                     `json:"cwd,omitempty"`
	Approve    string                     `json:"approve,omitempty"`
	Schemas    map[string]json.RawMessage `json:"schemas,omitempty"`
	InThought  bool                       `json:"in_thought,omitempty"`
	ExpectJSON bool                       `json:"expect_json,omitempty"`
}

type messageLine struct {
	head
	Role loop.Role `json:"role"`
	Kind string    `json:"kind,omitempty"`
	content
	Finish  string     `json:"finish,omitempty"`
	Aborted bool       `json:"aborted,omitempty"`
	Usage   *usageLine `json:"usage,omitempty"`
}

type deltaLine struct {
	head
	Delta string `json:"delta"`
}

type bareLine struct{ head }

type parseLine struct {
	head
	Kind      string        `json:"kind"`
	Dialect   parse.Dialect `json:"dialect,omitempty"`
	Calls     []callLine    `json:"calls,omitempty"`
	Repairs   []repairLine  `json:"repairs,omitempty"`
	Leftovers []spanLine    `json:"leftovers,omitempty"`
	Void      []callLine    `json:"void,omitempty"`
	Problem   *problemLine  `json:"problem,omitempty"`
	Text      string        `json:"text,omitempty"`
	Thinking  string        `json:"thinking,omitempty"`
}

// callLine is a call and where it stands in the reply. A call that came beside
// the text (a native one) stands nowhere; one that is not to run has no id.
type callLine struct {
	loop.Call
	Start   *int         `json:"start,omitempty"`
	End     *int         `json:"end,omitempty"`
	Marked  bool         `json:"marked,omitempty"`
	Repairs []repairLine `json:"repairs,omitempty"`
}

type repairLine struct {
	Code   parse.RepairCode `json:"code"`
	Offset int              `json:"offset"`
}

type spanLine struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Reason string `json:"reason"`
}

type problemLine struct {
	Reason   parse.Reason `json:"reason"`
	Offset   int          `json:"offset"`
	Expected string       `json:"expected,omitempty"`
	Found    string       `json:"found,omitempty"`
}

type toolUseLine struct {
	head
	loop.Call
	Unstarted bool `json:"unstarted,omitempty"`
}

type approvalLine struct {
	head
	ID       string `json:"id"`
	Name     string `json:"name"`
	Decision string `json:"decision"`
	By       string `json:"by,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

type toolResultLine struct {
	head
	resultFields
}

// resultFields are a result of a tool.
type resultFields struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Status     tools.Status `json:"status"`
	Output     string       `json:"output"`
	OutputRaw  string       `json:"output_base64,omitempty"`
	Truncated  bool         `json:"truncated,omitempty"`
	Digest     string       `json:"digest,omitempty"`
	Coerced    []string     `json:"coerced,omitempty"`
	ExitCode   *int         `json:"exit_code,omitempty"`
	Diff       string       `json:"diff,omitempty"`
	Stack      string       `json:"stack,omitempty"`
	DurationMS int64        `json:"duration_ms"`
}

type warningLine struct {
	head
	Code    string `json:"code"`
	Message string `json:"message"`
}

const (
	retryReply = "reply"
	retryModel = "model"
)

type retryLine struct {
	head
	Kind     string       `json:"kind"`
	Attempt  int          `json:"attempt"`
	Reason   parse.Reason `json:"reason,omitempty"`
	Offset   int          `json:"offset,omitempty"`
	Expected string       `json:"expected,omitempty"`
	Found    string       `json:"found,omitempty"`
	Schema   bool         `json:"schema,omitempty"`
	DelayMS  int64        `json:"delay_ms,omitempty"`
	Message  string       `json:"message,omitempty"`
}

type compactLine struct {
	head
	Tier    string      `json:"tier"`
	Before  int         `json:"before"`
	After   int         `json:"after"`
	Entries []entryLine `json:"entries"` // null: they did not change
}

// entryLine is a turn of the conversation after a compaction.
type entryLine struct {
	Role loop.Role `json:"role"`
	Kind string    `json:"kind,omitempty"`
	content
	Calls   []loop.Call    `json:"calls,omitempty"`
	Results []resultFields `json:"results,omitempty"`
}

type stepLine struct {
	head
	stateFields
	Total int `json:"total"`
}

// stateFields are a state of the loop.
type stateFields struct {
	Continue    string      `json:"continue,omitempty"`
	Calls       int         `json:"calls"`
	Failures    int         `json:"failures"`
	Retries     int         `json:"retries"`
	Repairs     int         `json:"repairs"`
	Cuts        int         `json:"cuts"`
	Compactions int         `json:"compactions"`
	Before      int         `json:"before,omitempty"`
	After       int         `json:"after,omitempty"`
	Suspended   []loop.Call `json:"suspended,omitempty"`
	Usage       usageLine   `json:"usage"`
	Window      int         `json:"window,omitempty"`
	Tokens      int         `json:"tokens"`
}

type usageLine struct {
	PromptTokens int   `json:"prompt_tokens"`
	OutputTokens int   `json:"output_tokens"`
	LoadMS       int64 `json:"load_ms"`
	EvalMS       int64 `json:"eval_ms"`
}

type errorLine struct {
	head
	Code      loop.Stop `json:"code"`
	Message   string    `json:"message"`
	Retryable bool      `json:"retryable"`
}

type resultLine struct {
	head
	Status     string    `json:"status"`
	ExitCode   int       `json:"exit_code"`
	Stop       loop.Stop `json:"stop"`
	Answer     string    `json:"answer"`
	Cut        bool      `json:"cut,omitempty"`
	Raw        string    `json:"raw,omitempty"`
	Advice     string    `json:"advice,omitempty"`
	Error      string    `json:"error,omitempty"`
	Steps      int       `json:"steps"`
	Total      int       `json:"total"`
	ToolCalls  int       `json:"tool_calls"`
	Repairs    int       `json:"repairs"`
	Refused    int       `json:"refused,omitempty"`
	Warnings   []string  `json:"warnings,omitempty"` // codes of the warnings of this run
	Usage      usageLine `json:"usage"`
	DurationMS int64     `json:"duration_ms"`
	Session    string    `json:"session,omitempty"`
}
