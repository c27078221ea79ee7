package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/localagent/localagent/tools"
)

var (
	readTool   = &tools.Tool{Name: "read_file", Class: tools.Read}
	listTool   = &tools.Tool{Name: "list_files", Class: tools.Read}
	searchTool = &tools.Tool{Name: "search_text", Class: tools.Read}
	writeTool  = &tools.Tool{Name: "write_file", Class: tools.Write}
	editTool   = &tools.Tool{Name: "edit_file", Class: tools.Write}
	moveTool   = &tools.Tool{Name: "move", Class: tools.Write}
	noteTool   = &tools.Tool{Name: "note", Class: tools.Write}
	weather    = &tools.Tool{Name: "weather", Class: tools.Exec}
	argvTool   = &tools.Tool{Name: "run", Class: tools.Exec}
	calcTool   = &tools.Tool{Name: "calc", Class: tools.Read}
)

// A call is what a table says of one call: the rules, then tool and arguments.
type call struct {
	name  string
	rules string // one a line
	mode  Mode
	def   map[tools.Class]Verdict
	tool  *tools.Tool
	args  string
	echo  bool
	want  string // verdict, by
}

func check(t *testing.T, rows []call) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := policy(t, lines(row.rules)...)
			p.Mode, p.Default = row.mode, row.def
			d := p.Decide(row.tool, json.RawMessage(row.args), row.echo)
			if got := d.Verdict.String() + " " + d.By; got != row.want {
				t.Errorf("%s, want %s (%s)", got, row.want, d.Why)
			}
			if d.Why == "" {
				t.Error("no reason is given")
			}
			if (d.By == "rule") != (d.Rule != "") {
				t.Errorf("by %s, but the rule is %q", d.By, d.Rule)
			}
		})
	}
}

func lines(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' })
}

const (
	make0  = `{"command":"make"}`
	writeX = `{"path":"x","content":"y"}`
	readX  = `{"path":"x"}`
)

func TestModes(t *testing.T) {
	outside := `{"path":"../x","content":"y"}`
	check(t, []call{
		{name: "ask: read", tool: readTool, args: readX, want: "allow mode"},
		{name: "ask: write", tool: writeTool, args: writeX, want: "ask mode"},
		{name: "ask: exec", tool: shellTool, args: make0, want: "ask mode"},
		{name: "never: read", mode: ModeNever, tool: readTool, args: readX, want: "allow mode"},
		{name: "never: write", mode: ModeNever, tool: writeTool, args: writeX, want: "ask mode"},
		{name: "edits: write", mode: ModeEdits, tool: writeTool, args: writeX, want: "allow mode"},
		{name: "edits: write outside", mode: ModeEdits, tool: writeTool, args: outside, want: "ask mode"},
		{name: "edits: exec", mode: ModeEdits, tool: shellTool, args: make0, want: "ask mode"},
		{name: "all: write", mode: ModeAll, tool: writeTool, args: writeX, want: "allow mode"},
		{name: "all: write outside", mode: ModeAll, tool: writeTool, args: outside, want: "allow mode"},
		{name: "all: exec", mode: ModeAll, tool: shellTool, args: make0, want: "allow mode"},
		{name: "all: what cannot be read", mode: ModeAll, tool: shellTool, args: `{"command":"eval \"$X\" )"}`, want: "allow mode"},
		{name: "all: deny stands", mode: ModeAll, rules: "deny exec make", tool: shellTool, args: make0, want: "deny rule"},
		{name: "all: ask stands", mode: ModeAll, rules: "ask exec make", tool: shellTool, args: make0, want: "ask rule"},
		{name: "all: a deny rule that may match", mode: ModeAll, rules: "deny exec rm *", tool: shellTool, args: `{"command":"$X y"}`, want: "ask rule"},
		{name: "all: a deny rule that cannot match", mode: ModeAll, rules: "deny exec rm *", tool: shellTool, args: `{"command":"ls $X $(date)"}`, want: "allow mode"},
		{name: "all: braces that may become what a deny rule forbids", mode: ModeAll, rules: "deny exec rm *", tool: shellTool, args: `{"command":"{rm,-rf,x}"}`, want: "ask rule"},
		{name: "all: a shell that reads its commands", mode: ModeAll, rules: "deny exec rm *", tool: shellTool, args: `{"command":"cat x | sh"}`, want: "ask rule"},
		{name: "all: a program that is no shell", mode: ModeAll, rules: "deny exec rm *", tool: shellTool, args: `{"command":"cat x | python3; ./build.sh; sh build.sh"}`, want: "allow mode"},
		{name: "all: not to be parsed, no deny rule of commands", mode: ModeAll, rules: "deny write .git/**", tool: shellTool, args: `{"command":"ls )"}`, want: "allow mode"},
		{name: "edits: redirection", mode: ModeEdits, rules: "allow exec ls *", tool: shellTool, args: `{"command":"ls > x"}`, want: "allow rule"},
		{name: "edits: redirection into .git", mode: ModeEdits, rules: "allow exec ls *", tool: shellTool, args: `{"command":"ls > .GIT/hooks/x"}`, want: "ask mode"},
		{name: "edits: the project's rules", mode: ModeEdits, tool: writeTool, args: `{"path":"a/../.localagent.toml"}`, want: "ask mode"},
		{name: "edits: redirection outside", mode: ModeEdits, rules: "allow exec ls *", tool: shellTool, args: `{"command":"ls > /x"}`, want: "ask mode"},
		{name: "edits: redirection somewhere", mode: ModeEdits, rules: "allow exec ls *\nallow exec cd *", tool: shellTool, args: `{"command":"cd a; ls > x"}`, want: "ask mode"},
	})
}

func TestDefaults(t *testing.T) {
	allow := map[tools.Class]Verdict{tools.Exec: Allow}
	deny := map[tools.Class]Verdict{tools.Exec: Deny}
	askReads := map[tools.Class]Verdict{tools.Read: Ask}
	check(t, []call{
		{name: "allow", def: allow, tool: shellTool, args: make0, want: "allow default"},
		{name: "allow covers everything", def: allow, tool: shellTool, args: `{"command":"eval $X"}`, want: "allow default"},
		{name: "allow of another class", def: allow, tool: writeTool, args: writeX, want: "ask mode"},
		{name: "allow and a redirection", def: allow, tool: shellTool, args: `{"command":"make > x"}`, want: "ask mode"},
		{name: "allow, but never", def: allow, mode: ModeNever, tool: shellTool, args: make0, want: "allow default"},
		{name: "deny", def: deny, tool: shellTool, args: make0, want: "deny default"},
		{name: "deny, but all", def: deny, mode: ModeAll, tool: shellTool, args: make0, want: "deny default"},
		{name: "deny, but a rule", def: deny, rules: "allow exec make", tool: shellTool, args: make0, want: "allow rule"},
		{name: "ask for reads", def: askReads, tool: readTool, args: readX, want: "ask mode"},
		{name: "ask for reads, but all", def: askReads, mode: ModeAll, tool: readTool, args: readX, want: "allow mode"},
	})
}

func TestOrder(t *testing.T) {
	check(t, []call{
		{name: "deny before allow", rules: "allow exec make\ndeny exec make", tool: shellTool, args: make0, want: "deny rule"},
		{name: "deny before a more specific allow", rules: "deny exec make *\nallow exec make all", tool: shellTool, args: `{"command":"make all"}`, want: "deny rule"},
		{name: "deny before echo", rules: "deny exec make", tool: shellTool, args: make0, echo: true, want: "deny rule"},
		{name: "echo before allow", rules: "allow exec make", tool: shellTool, args: make0, echo: true, want: "ask echo"},
		{name: "echo before all", mode: ModeAll, tool: shellTool, args: make0, echo: true, want: "ask echo"},
		{name: "echo of a write", mode: ModeAll, tool: writeTool, args: writeX, echo: true, want: "ask echo"},
		{name: "echo of a read", tool: readTool, args: readX, echo: true, want: "allow mode"},
		{name: "echo of a read that a rule allows", rules: "allow read x", tool: readTool, args: readX, echo: true, want: "allow rule"},
		{name: "the more specific of ask and allow: ask", rules: "allow exec git *\nask exec git push *", tool: shellTool, args: `{"command":"git push x"}`, want: "ask rule"},
		{name: "the more specific of ask and allow: allow", rules: "ask exec git *\nallow exec git log *", tool: shellTool, args: `{"command":"git log x"}`, want: "allow rule"},
		{name: "the later of two equals: allow", rules: "ask exec make\nallow exec make", tool: shellTool, args: make0, want: "allow rule"},
		{name: "the later of two equals: ask", rules: "allow exec make\nask exec make", tool: shellTool, args: make0, want: "ask rule"},
		{name: "a tool before its class", rules: "allow tool run_shell\nask exec", tool: shellTool, args: make0, want: "allow rule"},
		{name: "an ask rule inside a wrapper", mode: ModeAll, rules: "ask exec git push", tool: shellTool, args: `{"command":"timeout 5 git push"}`, want: "ask rule"},
		{name: "everything of a class", rules: "allow exec", tool: shellTool, args: `{"command":"eval $(x)"}`, want: "allow rule"},
		{name: "everything of a class, but its redirection", rules: "allow exec", tool: shellTool, args: `{"command":"ls > x"}`, want: "ask mode"},
		{name: "everything of a tool", rules: "allow tool run_shell", tool: shellTool, args: `{"command":"eval $(x) > y"}`, want: "allow rule"},
		{name: "deny everything of a class", rules: "deny exec", mode: ModeAll, tool: shellTool, args: make0, want: "deny rule"},
		{name: "deny writes holds for redirections", rules: "deny write", mode: ModeAll, tool: shellTool, args: `{"command":"ls > x"}`, want: "deny rule"},
		{name: "deny writes leaves commands alone", rules: "deny write", mode: ModeAll, tool: shellTool, args: `{"command":"touch x"}`, want: "allow mode"},
	})
}

func TestTools(t *testing.T) {
	check(t, []call{
		{name: "by name", rules: "allow tool weather", tool: weather, args: `{"city":"Oslo"}`, want: "allow rule"},
		{name: "by name, without the word", rules: "allow weather", tool: weather, args: `{"city":"Oslo"}`, want: "allow rule"},
		{name: "another tool", rules: "allow tool weathers", tool: weather, args: `{"city":"Oslo"}`, want: "ask mode"},
		{name: "denied by name", mode: ModeAll, rules: "deny weather", tool: weather, args: `{}`, want: "deny rule"},
		{name: "no command: a pattern of commands does not allow it", rules: "allow exec weather *", tool: weather, args: `{"city":"Oslo"}`, want: "ask mode"},
		{name: "no command: a pattern behind its name does not allow it", rules: "allow weather Oslo", tool: weather, args: `{"city":"Oslo"}`, want: "ask mode"},
		{name: "no command: a pattern behind its name denies it", rules: "deny weather Oslo", mode: ModeAll, tool: weather, args: `{"city":"Oslo"}`, want: "deny rule"},
		{name: "no command: allowed with its class", rules: "allow exec", tool: weather, args: `{"city":"Oslo"}`, want: "allow rule"},
		{name: "a command that is no text", rules: "allow exec ls *", tool: weather, args: `{"command":{"x":"ls"}}`, want: "ask mode"},
		{name: "words", rules: "allow exec ls *", tool: argvTool, args: `{"command":["ls","a b;rm x"]}`, want: "allow rule"},
		{name: "words with no other meaning", rules: "allow exec ls *", tool: argvTool, args: `{"command":["ls","$(rm x)",">y"]}`, want: "allow rule"},
		{name: "words of a wrapper", mode: ModeAll, rules: "deny exec rm *", tool: argvTool, args: `{"command":["sh","-c","rm x"]}`, want: "deny rule"},
		{name: "words that are none", rules: "allow exec ls *", tool: argvTool, args: `{"command":["ls",1]}`, want: "ask mode"},
		{name: "no words", rules: "allow exec ls *", tool: argvTool, args: `{"command":[]}`, want: "ask mode"},
		{name: "a tool and commands", rules: "allow run_shell ls *", tool: shellTool, args: `{"command":"ls x"}`, want: "allow rule"},
		{name: "a tool and other commands", rules: "allow run_shell ls *", tool: shellTool, args: make0, want: "ask mode"},
		{name: "a tool and commands, redirected", rules: "allow run_shell ls *", tool: shellTool, args: `{"command":"ls > x"}`, want: "ask mode"},
		{name: "another tool with the same command", rules: "allow run_shell ls *", tool: argvTool, args: `{"command":["ls"]}`, want: "ask mode"},
		{name: "a tool and files", rules: "allow edit_file docs/**", tool: editTool, args: `{"path":"docs/a.md","old":"x","new":"y"}`, want: "allow rule"},
		{name: "a tool and other files", rules: "allow edit_file docs/**", tool: editTool, args: `{"path":"src/a.go","old":"docs/x","new":"y"}`, want: "ask mode"},
		{name: "no file among the arguments", rules: "allow write **", tool: noteTool, args: `{"text":"x"}`, want: "ask mode"},
		{name: "no file, and a deny rule of files", mode: ModeAll, rules: "deny write .git/**", tool: noteTool, args: `{"text":".git/x"}`, want: "allow mode"},
		{name: "a command given to a tool that only reads", tool: calcTool, args: `{"command":"rm x"}`, rules: "deny exec rm *", want: "allow mode"},
		{name: "arguments that are no object", mode: ModeEdits, tool: shellTool, args: `[]`, want: "ask mode"},
		{name: "the folder of a command", mode: ModeEdits, rules: "allow exec ls *\ndeny write .git/**", tool: shellTool, args: `{"command":"ls > x","cwd":".git"}`, want: "deny rule"},
		{name: "an unknown tool", mode: ModeEdits, tool: nil, args: `{}`, want: "ask mode"},
	})
}

func TestPaths(t *testing.T) {
	denied := []string{
		`.env`, `./.env`, `a/.env`, `/.env`, `a/b/../.env`, `a/./.env`, `a//.env`, `.env/`, `a/.env/.`, `..//x/.env`,
		`.ENV`, `a/.Env`, `.env.`, `.env `, `.env::$DATA`, ".e\u200bnv", `/srv/a/.env`, `~/.env`, `.env/x`, `x/../.env`, `/proc/self/cwd/.env`,
	}
	for _, path := range denied {
		args, _ := json.Marshal(map[string]any{"path": path})
		p := policy(t, "deny read **/.env")
		p.Mode = ModeAll
		if d := p.Decide(readTool, args, false); d.Verdict != Deny {
			t.Errorf("%q: %v, want deny (%s)", path, d.Verdict, d.Why)
		}
	}
	check(t, []call{
		{name: "a neighbour", rules: "deny read **/.env", tool: readTool, args: `{"path":".envrc"}`, want: "allow mode"},
		{name: "a neighbour below", rules: "deny read **/.env", tool: readTool, args: `{"path":"a/x.env"}`, want: "allow mode"},
		{name: "the same text elsewhere", rules: "deny read **/.env", tool: searchTool, args: `{"pattern":".env","path":"src"}`, want: "allow mode"},
		{name: "a filter for one file", rules: "deny read **/.env", tool: searchTool, args: `{"pattern":"KEY","glob":".env"}`, want: "deny rule"},
		{name: "a filter for many", rules: "deny read **/.env", tool: searchTool, args: `{"pattern":"KEY","glob":"**/*.go"}`, want: "allow mode"},
		{name: "no path is the folder itself", rules: "deny read **", tool: listTool, args: `{}`, want: "deny rule"},
		{name: "another argument", rules: "deny read **/.env", tool: readTool, args: `{"file_name":".env"}`, want: "deny rule"},
		{name: "one of several", rules: "deny read **/.env", tool: readTool, args: `{"paths":["a",".env"]}`, want: "deny rule"},
		{name: "deep down", rules: "deny write .git/**", mode: ModeAll, tool: editTool, args: `{"edits":[{"file":"a"},{"file":".git/x"}]}`, want: "deny rule"},
		{name: "source and destination", rules: "deny write .git/**", mode: ModeAll, tool: moveTool, args: `{"from":"a","to":".git/x"}`, want: "deny rule"},
		{name: "content is no path", rules: "deny write .git/**", mode: ModeAll, tool: writeTool, args: `{"path":"a","content":".git/x"}`, want: "allow mode"},
		{name: "the folder itself", rules: "deny write .git/**", mode: ModeAll, tool: writeTool, args: `{"path":".git"}`, want: "deny rule"},
		{name: "a folder without stars", rules: "deny write .git", mode: ModeAll, tool: writeTool, args: `{"path":".git/x/y"}`, want: "deny rule"},
		{name: "a folder with a slash", rules: "deny write ./.git/", mode: ModeAll, tool: writeTool, args: `{"path":".git/x/y"}`, want: "deny rule"},
		{name: "a rule in capitals", rules: "deny write Build/**", mode: ModeAll, tool: writeTool, args: `{"path":"build/x"}`, want: "deny rule"},
		{name: "allowed", rules: "allow write docs/**", tool: writeTool, args: `{"path":"docs/a/b.md"}`, want: "allow rule"},
		{name: "allowed, spelled otherwise", rules: "allow write docs/**", tool: writeTool, args: `{"path":"./x/..//docs/b.md"}`, want: "allow rule"},
		{name: "allowed with a slash", rules: "allow write docs/", tool: writeTool, args: `{"path":"docs/b.md"}`, want: "allow rule"},
		{name: "not in capitals", rules: "allow write docs/**", tool: writeTool, args: `{"path":"Docs/b.md"}`, want: "ask mode"},
		{name: "not by a way out", rules: "allow write docs/**", tool: writeTool, args: `{"path":"docs/../b.md"}`, want: "ask mode"},
		{name: "not outside", rules: "allow write **", tool: writeTool, args: `{"path":"/etc/passwd"}`, want: "ask mode"},
		{name: "not above", rules: "allow write **", tool: writeTool, args: `{"path":"../x"}`, want: "ask mode"},
		{name: "outside by a rule that says so", rules: "allow write /tmp/**", tool: writeTool, args: `{"path":"/tmp/x"}`, want: "allow rule"},
		{name: "not all of them", rules: "allow write docs/**", tool: moveTool, args: `{"from":"docs/a","to":"b"}`, want: "ask mode"},
		{name: "only one star", rules: "allow write *.md", tool: writeTool, args: `{"path":"a/b.md"}`, want: "ask mode"},
		{name: "alternatives", rules: "allow write *.{md,txt}", tool: writeTool, args: `{"path":"b.txt"}`, want: "allow rule"},
		{name: "read rules leave writes alone", rules: "deny read docs/**", mode: ModeAll, tool: writeTool, args: `{"path":"docs/a"}`, want: "allow mode"},
	})
}

func TestHides(t *testing.T) {
	rules := []string{
		"deny read **/.env", "deny read secrets/**", "deny write docs/**", "ask read notes/**", "allow read notes/open",
		"allow read secrets/open", "deny search_text private/**", "deny read", "deny exec cat *",
	}
	p := policy(t, rules...)
	for _, tt := range []struct {
		tool, start string
		hidden      string // of all, in order
	}{
		{"list_files", ".", ".env a/.env notes/x secrets secrets/open"},
		{"search_text", ".", ".env a/.env notes/x private private/x secrets secrets/open"},
		{"list_files", "notes", ".env a/.env secrets secrets/open"}, // a person was asked about notes
	} {
		hides := p.Hides(tt.tool, tt.start)
		var hidden []string
		for _, path := range strings.Fields(". .env a a/.env docs/x notes/open notes/x private private/x secrets secrets/open") {
			if hides(path) {
				hidden = append(hidden, path)
			}
		}
		if got := strings.Join(hidden, " "); got != tt.hidden {
			t.Errorf("%s from %s hides %s, want %s", tt.tool, tt.start, got, tt.hidden)
		}
	}
	for _, rules := range [][]string{nil, {"allow read **"}, {"deny read"}, {"deny write **/.env"}, {"deny read_file **/.env"}} {
		if policy(t, rules...).Hides("list_files", ".") != nil {
			t.Errorf("%q: want nothing to hide", rules)
		}
	}
}

// What was granted is no longer hidden; what leads to a hidden file by a link is.
func TestSessionHides(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(".env", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	p := policy(t, "deny read **/.env", "ask read notes/**")
	p.Dir = dir
	s := &Session{Policy: p}
	if !s.Hides("list_files", ".")("link") {
		t.Error("the link is not hidden")
	}
	args := json.RawMessage(`{"path":"notes/a"}`)
	if !s.Hides("list_files", ".")("notes/a") {
		t.Error("what has to be asked for is not hidden")
	}
	s.Grant(s.Offer(readTool, args)...)
	if s.Hides("list_files", ".")("notes/a") {
		t.Error("what was granted is hidden")
	}
}
