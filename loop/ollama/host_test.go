package ollama

import (
	"strings"
	"testing"
)

func TestParseHost(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "http://127.0.0.1:11434",
		" gpu-box ":                   "http://gpu-box:11434",
		`"gpu-box"`:                   "http://gpu-box:11434",
		"gpu-box:8080":                "http://gpu-box:8080",
		"gpu-box:":                    "http://gpu-box:11434",
		":8080":                       "http://127.0.0.1:8080",
		"0.0.0.0":                     "http://127.0.0.1:11434",
		"0.0.0.0:8080":                "http://127.0.0.1:8080",
		"10.0.0.7":                    "http://10.0.0.7:11434",
		"::":                          "http://[::1]:11434",
		"::1":                         "http://[::1]:11434",
		"[::1]":                       "http://[::1]:11434",
		"[::]:8080":                   "http://[::1]:8080",
		"[fe80::1%eth0]:80":           "http://[fe80::1%25eth0]:80",
		"fe80::1%eth0":                "http://[fe80::1%25eth0]:11434",
		"http://gpu-box":              "http://gpu-box:80",
		"HTTPS://gpu-box/":            "https://gpu-box:443",
		"http://0.0.0.0:1/":           "http://127.0.0.1:1",
		"http://[::1]":                "http://[::1]:80",
		"https://example.org/ollama/": "https://example.org:443/ollama",
		"gpu-box/a/b//":               "http://gpu-box:11434/a/b",
		"http://me:a@b@gpu-box:1":     "http://me:a%40b@gpu-box:1",
		"http://me@gpu-box":           "http://me@gpu-box:80",
		"ollama.com":                  "https://ollama.com:443",
		"büro.example":                "http://b%C3%BCro.example:11434",
	} {
		u, err := ParseHost(in)
		if err != nil {
			t.Errorf("ParseHost(%q): %v", in, err)
		} else if got := u.String(); got != want {
			t.Errorf("ParseHost(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseHostErrors(t *testing.T) {
	for in, want := range map[string]string{
		"gpu-box:http":     `the port is "http"`,
		"gpu-box:0":        `the port is "0"`,
		"gpu-box:70000":    "1 to 65535",
		"ftp://gpu-box":    `the scheme is "ftp", expecting http or https`,
		"::1:11434:x":      "in brackets",
		"a b":              `' ' cannot stand in a host name`,
		"*:11434":          `'*' cannot stand`,
		"http://a?b":       `'?' cannot stand`,
		"unix:///run/sock": `the scheme is "unix"`,
	} {
		_, err := ParseHost(in)
		if err == nil {
			t.Errorf("ParseHost(%q) succeeded", in)
		} else if got := err.Error(); !strings.Contains(got, want) || !strings.Contains(got, in) {
			t.Errorf("ParseHost(%q): %q, want %q and the value", in, got, want)
		}
	}
}

// A bad host names the place it came from.
func TestHostSource(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "gpu-box:http")
	if _, err := hostFrom(""); err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST") {
		t.Errorf("got %v, want an error that names OLLAMA_HOST", err)
	}
	if u, err := hostFrom("other:1"); err != nil || u.Host != "other:1" {
		t.Errorf("got %v %v, want the given host", u, err)
	}
	if _, err := hostFrom("other:x"); err == nil || strings.Contains(err.Error(), "OLLAMA_HOST") {
		t.Errorf("got %v, want an error that does not name OLLAMA_HOST", err)
	}
}
