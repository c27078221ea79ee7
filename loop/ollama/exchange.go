package ollama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// connectTimeout limits connecting alone: a server sends no header until
	// the model is loaded, which may take minutes.
	connectTimeout = 4 * time.Second

	// maxLine is the most bytes of one line of a reply. The API's client has a
	// limit of its own, a little above.
	maxLine = 7 << 20

	// maxErrorBody is how much is read of the body of an error.
	maxErrorBody = 64 << 10
)

var (
	errLineTooLong = errors.New("a line of the reply is longer than 7 MiB")
	errNoJSON      = errors.New("the answer is no JSON")
)

// newTransport is net/http's default but for the time to connect, and for
// compression, which may hold a stream back.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext
	t.DisableCompression = true
	return t
}

// An exchange is the transport of one request. It remembers what the API's
// client does not tell: an HTTP status of 400 and above with the server's
// words, which the client turns into success when the body is empty. And it
// keeps the arguments of native calls as they were written, which the client
// refuses as a string and rounds as numbers.
type exchange struct {
	base http.RoundTripper

	status     int // 0: no answer yet
	message    string
	retryAfter time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := x.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x.status = resp.StatusCode
	if resp.StatusCode < http.StatusBadRequest {
		if strings.HasSuffix(req.URL.Path, "/api/chat") {
			resp.Body = &lines{body: resp.Body, r: bufio.NewReader(resp.Body)}
		}
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	resp.Body.Close()
	if err != nil && len(body) == 0 {
		return nil, err
	}
	x.message = errorText(body)
	x.retryAfter = retryAfter(resp.Header)
	// Never empty, so that the client sees an error in any case.
	resp.Body = io.NopCloser(bytes.NewReader(encode(map[string]string{"error": x.message})))
	return resp, nil
}

// errorText is what an error body says: the server's {"error":…}, the runner's
// JSON inside that, or the text of something in between.
func errorText(body []byte) string {
	var e struct{ Error json.RawMessage }
	if json.Unmarshal(body, &e) != nil || e.Error == nil {
		return shorten(strings.TrimSpace(string(body)))
	}
	var text string
	if json.Unmarshal(e.Error, &text) != nil {
		text = string(e.Error)
	}
	return text
}

// retryAfter reads the header in seconds, which is the form that servers and
// proxies of models send.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Second
}

// lines hands the body of a streamed reply on line by line, with the arguments
// of native calls wrapped and without empty lines. A line that is no JSON object
// is an error, as is one over maxLine, and the last one when it is cut.
type lines struct {
	body io.Closer
	r    *bufio.Reader
	rest []byte // of the line that is being handed on
	err  error  // after the rest
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 && l.err == nil {
		l.rest, l.err = l.next()
	}
	if len(l.rest) == 0 {
		return 0, l.err
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line as it is handed on, or nothing for an empty one.
// It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	line, err := l.line()
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil, err
	case line[0] == '{' && json.Valid(line):
		return append(wrapArguments(line), '\n'), err
	case err == nil, line[0] != '{':
		return nil, fmt.Errorf("%w: %s", errNoJSON, shorten(string(line)))
	case err == io.EOF:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, err
}

// line reads one line, the last of which may lack its newline.
func (l *lines) line() ([]byte, error) {
	var long []byte // a line that does not fit the buffer
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			return part, nil
		case len(long)+len(part) > maxLine:
			return nil, errLineTooLong
		case err != bufio.ErrBufferFull:
			return append(long, part...), err
		}
		long = append(long, part...)
	}
}

func (l *lines) Close() error { return l.body.Close() }
