package ollama

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

const (
	hostVariable = "OLLAMA_HOST"
	defaultPort  = "11434"
)

// ParseHost reads a server's address in every form that people write it in:
//
//	gpu-box, gpu-box:11434, :11434, 0.0.0.0, ::1, [::1]:11434,
//	http://gpu-box, https://user:secret@example.org/ollama/
//
// As in Ollama, the port is 11434 without a scheme and the scheme's own with
// one. An address to listen on (0.0.0.0, ::) becomes the loopback address of
// its kind. "" is the default server on this machine.
func ParseHost(s string) (*url.URL, error) {
	u, err := parseHost(strings.Trim(strings.TrimSpace(s), `"'`))
	if err != nil {
		return nil, fmt.Errorf("ollama: host %q: %w", s, err)
	}
	return u, nil
}

// hostFrom reads the given host, or else the variable's, naming the variable
// when it is at fault.
func hostFrom(given string) (*url.URL, error) {
	if given != "" {
		return ParseHost(given)
	}
	u, err := ParseHost(os.Getenv(hostVariable))
	if err != nil {
		return nil, fmt.Errorf("%w (from the environment variable %s)", err, hostVariable)
	}
	return u, nil
}

func parseHost(s string) (*url.URL, error) {
	u := &url.URL{Scheme: "http"}
	port := defaultPort
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		u.Scheme, s = strings.ToLower(scheme), rest
		switch u.Scheme {
		case "http":
			port = "80"
		case "https":
			port = "443"
		default:
			return nil, fmt.Errorf("the scheme is %q, expecting http or https", scheme)
		}
	} else if s == "ollama.com" { // the one name that Ollama knows
		u.Scheme, port = "https", "443"
	}
	s, path, _ := strings.Cut(s, "/")
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		u.User = userinfo(s[:at])
		s = s[at+1:]
	}
	host, port, err := splitHost(s, port)
	if err != nil {
		return nil, err
	}
	u.Host = net.JoinHostPort(host, port)
	return u, nil
}

func userinfo(s string) *url.Userinfo {
	if name, password, ok := strings.Cut(s, ":"); ok {
		return url.UserPassword(name, password)
	}
	return url.User(s)
}

// splitHost splits host and port, either of which may be missing.
func splitHost(s, defaultPort string) (host, port string, err error) {
	if addr, err := netip.ParseAddr(unbracket(s)); err == nil {
		return connectable(addr), defaultPort, nil
	}
	host, port = s, defaultPort
	if strings.Contains(s, ":") {
		if host, port, err = net.SplitHostPort(s); err != nil {
			return "", "", errors.New("expecting HOST:PORT, an IPv6 address with a port in brackets")
		}
		port = cmp.Or(port, defaultPort)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", "", fmt.Errorf("the port is %q, expecting a number from 1 to 65535", port)
	}
	if i := strings.IndexFunc(host, notInName); i >= 0 {
		return "", "", fmt.Errorf("%q cannot stand in a host name", []rune(host[i:])[0])
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		host = connectable(addr)
	}
	return cmp.Or(host, "127.0.0.1"), port, nil
}

func unbracket(s string) string {
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return s[1 : len(s)-1]
	}
	return s
}

// connectable is the address to connect to for one to listen on.
func connectable(a netip.Addr) string {
	switch {
	case !a.IsUnspecified():
		return a.String()
	case a.Is4():
		return "127.0.0.1"
	}
	return "::1"
}

// notInName says that a rune can stand neither in a host name, which may be
// international, nor in an address with a zone.
func notInName(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"#$&'()*+,/;<=>?@[]\\^`{|}\x7f", r)
}
