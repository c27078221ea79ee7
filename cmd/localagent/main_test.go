package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"localagent": main})
}

// TestScript runs the scripts: the contract of the command, stdout, stderr and
// status in one place. Beside the usual commands they have
//
//	exits CODE COMMAND…   run a command that must end with this status
//	server FILE           start a scripted Ollama, see package ollamatest
//	chats                 print the requests the server got, one a line
//	field PATH VALUE      a field of the JSON on stdout has this value; for JSON
//	                      lines paths begin with "..", see gjson
//	empty stdout|stderr   nothing was written there
func TestScript(t *testing.T) {
	needs(t, "sh")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup:               setupScript,
		Cmds:                scriptCommands,
	})
}

// needs skips a test on a machine without a program.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":  cmdExits,
	"server": cmdServer,
	"chats":  cmdChats,
	"field":  cmdField,
	"empty":  cmdEmpty,
}

// setupScript gives a script a home of its own and no server.
func setupScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	for _, dir := range []string{"", ".config", ".state", ".cache"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state"))
	env.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	env.Setenv("TERM", "xterm")
	env.Setenv("GORACE", os.Getenv("GORACE"))
	env.Values[tbKey{}] = env.T()
	env.Values[serverKey{}] = &scriptServer{}
	return nil
}

// homeIn is the environment of a run whose home is dir.
func homeIn(dir string) []string {
	return append(os.Environ(), "LOCALAGENT_STATE_DIR="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
}

type (
	tbKey     struct{}
	serverKey struct{}
)

// A scriptServer is the server of a script, once there is one.
type scriptServer struct{ *ollamatest.Server }

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server FILE")
	}
	replies, err := ollamatest.ReadReplies(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	tb, ok := ts.Value(tbKey{}).(testing.TB)
	if !ok {
		ts.Fatalf("testscript's T is no testing.TB any more")
	}
	s := ollamatest.New(tb, replies...)
	s.Models[0].Digest, s.Models[0].Size = strings.Repeat("5eed", 16), 815_000_000
	s.Requests() // takes the server's lock: what was set is seen by all that comes
	ts.Setenv("OLLAMA_HOST", s.URL)
	ts.Setenv("LOCALAGENT_MODEL", "test")
	ts.Value(serverKey{}).(*scriptServer).Server = s
}

func cmdChats(ts *testscript.TestScript, neg bool, _ []string) {
	if neg {
		ts.Fatalf("unsupported: ! chats")
	}
	for _, r := range ts.Value(serverKey{}).(*scriptServer).Chats() {
		var line bytes.Buffer
		ts.Check(json.Compact(&line, r.Body))
		fmt.Fprintln(ts.Stdout(), plainHTML.Replace(line.String()))
	}
}

// plainHTML undoes what encoding/json does for browsers.
var plainHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func cmdField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field PATH VALUE")
	}
	out := ts.ReadFile("stdout")
	if n := strings.Count(out, "\n"); n != 1 && !strings.HasPrefix(args[0], "..") {
		ts.Fatalf("stdout has %d lines, want one object", n)
	}
	got := gjson.Get(out, args[0]).String()
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %q, want %q (not: %v)", args[0], got, args[1], neg)
	}
}

func cmdEmpty(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if text := ts.ReadFile(name); (text == "") == neg {
			ts.Fatalf("%s is %q", name, text)
		}
	}
}
