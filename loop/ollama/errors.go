package ollama

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/localagent/localagent/loop"
)

// A failure is what a server's words mean for the run.
type failure struct {
	kind loop.ErrorKind
	cure string // one sentence; {model} and {url} stand for the model and the server
}

const (
	cureLogs   = "Look into the server's log; a smaller --num-ctx or a smaller model needs less memory."
	cureMemory = "Ask for a smaller window with --num-ctx, or take a smaller model."
	curePull   = "Install it with `ollama pull {model}`, or see what is installed with `ollama list`."
	cureStart  = "Start the server with `ollama serve`, or say where it runs with OLLAMA_HOST."
	cureHost   = "Check the address {url}: it does not answer as an Ollama server does."
	cureSignIn = "Sign in with `ollama signin`."
	cureWindow = "Ask for a larger window with --num-ctx, or give it less text."
)

// said are the words of servers, of several versions and of the runners below
// them, in the order in which they are looked for. Nothing else tells such
// errors apart: an error in the middle of a reply has no status, and before it
// most have 500.
var said = []struct {
	words string // lower case
	failure
}{
	{"exceed_context_size_error", failure{loop.TooLong, cureWindow}},
	{"exceeds the available context", failure{loop.TooLong, cureWindow}},
	{"exceeds the context length", failure{loop.TooLong, cureWindow}},
	{"exceeds maximum context length", failure{loop.TooLong, cureWindow}},
	{"context size has been exceeded", failure{loop.TooLong, cureWindow}},
	{"prompt is too long", failure{loop.TooLong, cureWindow}},

	{"try pulling it first", failure{loop.Fatal, curePull}},
	{"does not support thinking", failure{loop.Fatal, "Leave out --think: {model} cannot."}},
	{"does not support chat", failure{loop.Fatal, "Choose a model that writes text; `ollama show {model}` lists what this one can do."}},
	{"does not support generate", failure{loop.Fatal, "Choose a model that writes text; `ollama show {model}` lists what this one can do."}},
	{"newer version of ollama", failure{loop.Fatal, "Update Ollama."}},
	{"incompatible with your version", failure{loop.Fatal, "Update Ollama, then the model with `ollama pull {model}`."}},
	{"not supported by your version", failure{loop.Fatal, "Update Ollama."}},

	{"more system memory", failure{loop.Fatal, cureMemory}},
	{"out-of-memory", failure{loop.Fatal, cureMemory}},
	{"out of memory", failure{loop.Fatal, cureMemory}},
	{"outofmemory", failure{loop.Fatal, cureMemory}},
	{"insufficient memory", failure{loop.Fatal, cureMemory}},
	{"cudamalloc failed", failure{loop.Fatal, cureMemory}},
	{"failed to allocate", failure{loop.Fatal, cureMemory}},
	{"unable to allocate", failure{loop.Fatal, cureMemory}},

	{"server busy", failure{loop.Busy, ""}},
	{"maximum pending requests", failure{loop.Busy, ""}},
	{"loading model", failure{loop.Busy, ""}},
	{"model is loading", failure{loop.Busy, ""}},
	{"no slots available", failure{loop.Busy, ""}},
	{"too many requests", failure{loop.Busy, ""}},

	{"unexpectedly stopped", failure{loop.Broken, cureLogs}},
	{"process has terminated", failure{loop.Broken, cureLogs}},
	{"no longer running", failure{loop.Broken, cureLogs}},
	{"timed out waiting for", failure{loop.Broken, cureLogs}},
	{"error was encountered while running", failure{loop.Broken, cureLogs}},
	{"error reading ll", failure{loop.Broken, cureLogs}}, // llm, llama-server
	{"connection reset", failure{loop.Broken, cureLogs}},
	{": eof", failure{loop.Broken, cureLogs}},
	{"repeat limit", failure{loop.Broken, "Another model, or a higher temperature, may not repeat itself."}},
}

// byStatus says what a status means when the words do not.
func byStatus(status int) failure {
	switch status {
	case http.StatusUnauthorized:
		return failure{loop.Fatal, cureSignIn}
	case http.StatusNotFound:
		return failure{loop.Fatal, curePull}
	case http.StatusMethodNotAllowed:
		return failure{loop.Fatal, cureHost}
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return failure{loop.Busy, ""}
	case 499: // the server's own word for a request that was cancelled
		return failure{loop.Broken, ""}
	}
	return failure{kind: loop.Fatal}
}

// explain turns what went wrong in an exchange into an error that the loop can
// act on.
func (c *Client) explain(err error, x *exchange, model string) error {
	e := &loop.ModelError{Err: err, RetryAfter: x.retryAfter}
	var f failure
	switch {
	case x.status >= http.StatusBadRequest:
		e.Status = x.status
		f = judge(x.message, x.status)
		if isWebPage(x.message) && f.kind == loop.Fatal {
			f.cure = cureHost
		}
		quote(e, pageTitle(x.message))
	case x.status == 0:
		e.Err, f = fmt.Errorf("no answer from %s: %w", c.url.Redacted(), bare(err)), unreached(err)
	case brokenOff(err):
		e.Err, f = midReply(err), failure{loop.Broken, ""}
	case errors.Is(err, bufio.ErrTooLong): // the client's own limit
		e.Err, f = errLineTooLong, failure{loop.Fatal, cureHost}
	case errors.Is(err, errLineTooLong), errors.Is(err, errNoJSON), noJSON(err):
		f = failure{loop.Fatal, cureHost}
	default: // an error line in the middle of a reply
		quote(e, err.Error())
		f = judge(err.Error(), x.status)
	}
	e.Kind = f.kind
	e.Cure = strings.NewReplacer("{model}", model, "{url}", c.url.Redacted()).Replace(f.cure)
	return e
}

// judge finds the meaning of the server's words, or else of its status.
func judge(text string, status int) failure {
	lower := strings.ToLower(text)
	for _, s := range said {
		if strings.Contains(lower, s.words) {
			return s.failure
		}
	}
	f := byStatus(status)
	if status == http.StatusNotFound && !strings.Contains(lower, "model") {
		f.cure = cureHost
	}
	return f
}

// isWebPage says whether text is what other servers and proxies send.
func isWebPage(text string) bool {
	start := strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// pageTitle is the title of a web page that has one, and other text as it is.
func pageTitle(text string) string {
	if !isWebPage(text) {
		return text
	}
	_, rest, _ := strings.Cut(text, "<title>")
	title, _, ok := strings.Cut(rest, "</title>")
	if !ok {
		return text
	}
	return "a web page, " + strconv.Quote(strings.TrimSpace(title))
}

// quote puts the server's words into e. Those of the runner below it come as
// JSON inside, sometimes with the tokens of the prompt and of the window.
func quote(e *loop.ModelError, text string) {
	var runner struct {
		Error struct {
			Message string `json:"message"`
			Prompt  int    `json:"n_prompt_tokens"`
			Window  int    `json:"n_ctx"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &runner) == nil && runner.Error.Message != "" {
		text = runner.Error.Message
	}
	if text == "" {
		text = "an error without a word: " + http.StatusText(e.Status)
	}
	e.Err = errors.New(shorten(text))
	e.Prompt, e.Window = runner.Error.Prompt, runner.Error.Window
}

// unreached is what it means that a request got no answer at all.
func unreached(err error) failure {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns), netOp(err) == "dial":
		return failure{loop.Unreachable, cureStart}
	case brokenOff(err): // the server went down under the request
		return failure{loop.Broken, cureLogs}
	}
	return failure{loop.Fatal, cureHost} // TLS, HTTP of another kind
}

// brokenOff says that a reply ended too early.
func brokenOff(err error) bool {
	return errors.Is(err, loop.ErrNoTerminal) || errors.Is(err, errLoaded) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		netOp(err) == "read" || netOp(err) == "write"
}

// midReply says where a connection broke off, of an error that does not.
func midReply(err error) error {
	if errors.Is(err, loop.ErrNoTerminal) || errors.Is(err, errLoaded) {
		return err
	}
	return fmt.Errorf("the connection broke off in the middle of the reply: %w", bare(err))
}

// netOp is what a connection was doing when it failed, or nothing.
func netOp(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op
	}
	return ""
}

// noJSON says that the API's client could not read an answer.
func noJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

// bare takes off the method and the addresses that net and net/http put around an
// error.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err
}

// shorten keeps foreign text to one line that a person reads.
func shorten(s string) string {
	const limit = 400
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
