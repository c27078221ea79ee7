package ollama

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := `{"a":"` + strings.Repeat("a", 10_000) + `"}`
	for name, tt := range map[string]struct {
		body, want string
		err        error
	}{
		"lines":            {"{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}\n", io.EOF},
		"no last newline":  {"{\"a\":1}\n{\"b\":2}", "{\"a\":1}\n{\"b\":2}\n", io.EOF},
		"empty lines":      {"\n\r\n {\"a\":1} \r\n\n", "{\"a\":1}\n", io.EOF},
		"nothing":          {"", "", io.EOF},
		"longer than any":  {"{\"a\":1}\n" + long + "\n{\"b\":2}\n", "{\"a\":1}\n" + long + "\n{\"b\":2}\n", io.EOF},
		"cut":              {"{\"a\":1}\n{\"b\":", "{\"a\":1}\n", io.ErrUnexpectedEOF},
		"no JSON":          {"{\"a\":1}\n<html>\n{\"b\":2}\n", "{\"a\":1}\n", errNoJSON},
		"half JSON":        {"{\"a\":\n{\"b\":2}\n", "", errNoJSON},
		"JSON, no object":  {"[1]\n", "", errNoJSON},
		"over every limit": {"{\"a\":1}\n{\"" + strings.Repeat("a", maxLine), "{\"a\":1}\n", errLineTooLong},
	} {
		for feed, reader := range map[string]func(io.Reader) io.Reader{
			"whole":      func(r io.Reader) io.Reader { return r },
			"with error": iotest.DataErrReader,
			"in halves":  iotest.HalfReader,
		} {
			t.Run(name+" "+feed, func(t *testing.T) {
				l := &lines{r: bufio.NewReader(reader(strings.NewReader(tt.body)))}
				var got strings.Builder
				_, err := io.Copy(&got, l)
				if err == nil {
					err = io.EOF
				}
				if got.String() != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q %v, want %q %v", shorten(got.String()), err, shorten(tt.want), tt.err)
				}
			})
		}
	}
}
