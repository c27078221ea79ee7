package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/localagent/localagent/loop/ollama/ollamatest"
	"github.com/localagent/localagent/parse"
)

// TestDocs runs every command of the README and of docs/, and checks every
// config in them. The blocks of a page share a folder and are taken in order:
//
//	console   "$ command", then what it prints; "…" stands for any text
//	sh        commands that must succeed
//	toml      a config
//
// Comments before a block, which no reader sees, say more:
//
//	<!-- file: NAME -->     the block is this file, for the blocks that follow
//	<!-- replies: NAME -->  what the model writes: testdata/docs/NAME.jsonl
//	<!-- status: N -->      with which status the last command ends
//	<!-- needs: PROGRAM --> a program that not every machine has; without it the block is skipped
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages speak to a Unix shell")
	}
	needs(t, "bash")
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md") {
		text := readPage(t, page)
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			p := newDocPage(t)
			for _, b := range docBlocks(text) {
				t.Run(fmt.Sprintf("line %d", b.line), func(t *testing.T) { p.block(t, b) })
			}
		})
	}
}

// A docBlock is a fenced block of a page.
type docBlock struct {
	line  int
	lang  string
	text  string
	notes map[string]string // of the comments before it
}

var docComment = regexp.MustCompile(`^<!-- (\w+): (.*) -->$`)

func docBlocks(page string) []docBlock {
	var blocks []docBlock
	notes := map[string]string{}
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		if m := docComment.FindStringSubmatch(lines[i]); m != nil {
			notes[m[1]] = m[2]
			continue
		}
		lang, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		b := docBlock{line: i + 1, lang: lang, notes: notes}
		for i++; i < len(lines) && lines[i] != "```"; i++ {
			b.text += lines[i] + "\n"
		}
		blocks = append(blocks, b)
		notes = map[string]string{}
	}
	return blocks
}

// A docPage is where the commands of a page run.
type docPage struct {
	dir  string
	root string // of the project
	env  []string
}

func newDocPage(t *testing.T) *docPage {
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/docs/files")); err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs("testdata/docs/bin")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := &docPage{dir: dir, root: root}
	p.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "LOCALAGENT_STATE_DIR="+home,
		"XDG_CONFIG_HOME="+home+"/.config", "GOBIN="+home+"/bin", "TERM=dumb", "EDITOR=true",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB", "GOTOOLCHAIN"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		p.env = append(p.env, name+"="+strings.TrimSpace(string(value)))
	}
	return p
}

func (p *docPage) block(t *testing.T, b docBlock) {
	if name := b.notes["needs"]; name != "" {
		needs(t, name)
	}
	if name := b.notes["file"]; name != "" {
		p.write(t, name, b.text)
	}
	switch b.lang {
	case "console":
		p.console(t, b)
	case "sh":
		if out, status := p.shell(t, b, b.text); status != b.status() {
			t.Errorf("status %d\n%s", status, out)
		}
	case "toml":
		if _, err := readConfig([]configFile{{path: "config.toml", text: b.text}}, vars()); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func (b docBlock) status() int {
	n := 0
	_, _ = fmt.Sscan(b.notes["status"], &n) // none is 0
	return n
}

func (p *docPage) write(t *testing.T, name, text string) {
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// console runs the commands of a block and compares what they print.
func (p *docPage) console(t *testing.T, b docBlock) {
	steps := strings.Split("\n"+b.text, "\n$ ")
	for i, step := range steps[1:] {
		command, want, _ := strings.Cut(step, "\n")
		out, status := p.shell(t, b, command)
		wantStatus := 0
		if i == len(steps)-2 {
			wantStatus = b.status()
		}
		if status != wantStatus {
			t.Errorf("%s: status %d, want %d\n%s", command, status, wantStatus, out)
		}
		if !docMatch(strings.TrimSpace(want), strings.TrimSpace(out)) {
			t.Errorf("%s prints\n%s\nnot\n%s", command, out, want)
		}
	}
}

// slowCall is what the line of a call says when the machine is busy.
var slowCall = regexp.MustCompile(`(?m), [0-9.]+ s$`)

// docMatch compares what is printed with what a page says, where "…" stands for
// any text and a line of it for any lines.
func docMatch(want, got string) bool {
	got = slowCall.ReplaceAllString(got, "")
	pattern := regexp.QuoteMeta(want)
	pattern = strings.ReplaceAll(pattern, "\n…\n", "\n(?s:.*)\n?")
	pattern = regexp.MustCompile(`\n…$`).ReplaceAllString(pattern, "\n(?s:.*)")
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(got)
}

// builds are the commands of a checkout, which would only build again what runs
// here, and what is done instead.
var builds = strings.NewReplacer(
	"go test ./...", "go list ./... >$HOME/packages",
	"go run ./cmd/localagent", "localagent",
	"go install ./cmd/localagent", "go list ./cmd/localagent >$HOME/packages",
)

var goRun = regexp.MustCompile(`go run (\w+\.go)`)

// programs are commands as they can run here: builds are replaced, and programs
// of the page lie in its folder, but are built in the module.
func (p *docPage) programs(commands string) string {
	return goRun.ReplaceAllString(builds.Replace(commands), "go run "+p.dir+"/$1")
}

// shell runs commands with a scripted server, and returns what they print.
func (p *docPage) shell(t *testing.T, b docBlock, commands string) (string, int) {
	t.Helper()
	replies := "answer"
	if name := b.notes["replies"]; name != "" {
		replies = name
	}
	s := docServer(t, replies)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", p.programs(commands))
	cmd.Dir = p.dir
	if strings.HasPrefix(commands, "go ") {
		cmd.Dir = p.root // where the module is
	}
	cmd.Env = append(p.env, "OLLAMA_HOST="+s.URL)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the status says it
	return out.String(), cmd.ProcessState.ExitCode()
}

// docServer has the models that the pages speak of.
func docServer(t *testing.T, replies string) *ollamatest.Server {
	text, err := os.ReadFile(filepath.Join("testdata/docs", replies+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := ollamatest.ReadReplies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s := ollamatest.New(t, script...)
	s.Models = []ollamatest.Model{
		{Name: "gemma3:4b", Size: 3_338_801_804, Family: "gemma3", Digest: strings.Repeat("a2af", 16),
			Capabilities: []string{"completion", "vision"}, Context: 131072},
		{Name: "qwen2.5-coder:7b", Size: 4_683_087_519, Family: "qwen2", Digest: strings.Repeat("dae1", 16),
			Capabilities: []string{"completion", "tools", "insert"}, Context: 32768},
	}
	s.Requests() // takes the server's lock: what was set is seen by all that comes
	return s
}

// Each row of the table of dialects is read as the dialect it says.
func TestDialectTable(t *testing.T) {
	page := readPage(t, "../../docs/protocol.md")
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| `(.*)` \\|$")
	rows := row.FindAllStringSubmatch(page, -1)
	_, table, _ := strings.Cut(page, "\n| dialect | example |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if n := strings.Count(table+"\n", "\n"); n < 18 || len(rows) != n {
		t.Errorf("%d of %d rows are read", len(rows), n)
	}
	weather := parse.Tool{Name: "weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}
	for _, r := range rows {
		text := strings.NewReplacer("⏎", "\n", `\|`, "|").Replace(r[2])
		got := parse.Parse(text, parse.Options{Tools: []parse.Tool{weather}}, parse.FinishStop)
		if got.Outcome != parse.Calls || len(got.Calls) != 1 || string(got.Calls[0].Args) != `{"city":"Oslo"}` || string(got.Calls[0].Dialect) != r[1] {
			t.Errorf("%s: %q reads as %+v", r[1], text, got)
		}
	}
}
