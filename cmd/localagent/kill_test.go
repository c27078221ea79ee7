package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/replay"
	"github.com/localagent/localagent/loop/session"
)

// killPoints is at how many points a run is killed.
const killPoints = 50

var killSeed = flag.Uint64("kill.seed", 0, "where TestKill kills: the seed that a run of it printed; 0: another each time")

// TestKill kills a run at 50 points, as kill -9 does: one in each fiftieth of it,
// anywhere there. What the log has then is a conversation that -c goes on with,
// each time.
func TestKill(t *testing.T) {
	k := newKillTest(t)
	lines := k.run(t, t.TempDir(), 0)
	if lines < killPoints {
		t.Fatalf("the run prints %d lines, expecting at least %d", lines, killPoints)
	}
	points := killPoints
	if testing.Short() {
		points = 8
	}
	seed := cmp.Or(*killSeed, rand.Uint64())
	t.Logf("-kill.seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range points {
		after := 1 + (i*lines+rng.IntN(lines))/points
		t.Run(fmt.Sprintf("after line %d", after), func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			k.run(t, state, after)
			before := k.talk(t, state)
			k.goOn(t, state)
			checkWentOn(t, before, k.talk(t, state))
		})
	}
}

// A killTest is what all runs of the test share.
type killTest struct {
	work         string // the folder that the tools see
	long, answer string // files of replies
}

func newKillTest(t *testing.T) *killTest {
	dir := t.TempDir()
	k := &killTest{
		work: filepath.Join(dir, "work"), long: filepath.Join(dir, "long.jsonl"), answer: filepath.Join(dir, "answer.jsonl"),
	}
	if err := os.Mkdir(k.work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.work, "notes.txt"), []byte(strings.Repeat("a line of notes\n", 40)), 0o644); err != nil {
		t.Fatal(err)
	}
	var replies []string
	for i := range 6 {
		replies = append(replies,
			fmt.Sprintf(`Part %d. {"tool":"calc","args":{"expr":"%d+1"}}`, i, i),
			fmt.Sprintf(`{"tool":"read_file","args":{"path":"notes.txt","offset":%d}} {"tool":"calc","args":{"expr":"%d*2"}}`, i+1, i),
			fmt.Sprintf(`{"tool":"run_shell","args":{"command":"sleep 0.0%d; echo %d"}}`, i, i),
			`{"tool":"calc","args":{"expr":"1+`) // is asked for again
	}
	writeReplies(t, k.long, append(replies, "All done.")...)
	writeReplies(t, k.answer, "It went on.")
	return k
}

func writeReplies(t *testing.T, file string, texts ...string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, text := range texts {
		if err := enc.Encode(replay.Reply{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (k *killTest) command(state string, args ...string) *exec.Cmd {
	cmd := exec.Command("localagent", append([]string{"-C", k.work, "--num-ctx", "32768"}, args...)...)
	cmd.Env = homeIn(state)
	return cmd
}

// run starts the long run and kills it when it has printed so many lines; 0:
// never. It returns how many lines came till then.
func (k *killTest) run(t *testing.T, state string, after int) (lines int) {
	t.Helper()
	cmd := k.command(state, "-m", "replay:"+k.long, "-T", "calc,read_file,run_shell", "-y", "--max-steps", "-1", "-o", "stream-json", "do all of it")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	for {
		if _, err := r.ReadBytes('\n'); err != nil {
			break
		}
		if lines++; lines == after {
			cmd.Process.Kill()
			io.Copy(io.Discard, r)
			break
		}
	}
	cmd.Wait() // that it failed is what was wanted
	return lines
}

// goOn goes on with the latest session.
func (k *killTest) goOn(t *testing.T, state string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := k.command(state, "-c", "-m", "replay:"+k.answer, "and now?")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || string(out) != "It went on.\n" {
		t.Fatalf("-c: %v, stdout %q, stderr %q", err, out, stderr.String())
	}
}

// talk is the conversation of the one session that there is.
func (k *killTest) talk(t *testing.T, state string) []loop.Entry {
	t.Helper()
	infos, err := session.List(filepath.Join(state, "sessions"))
	if err != nil || len(infos) != 1 {
		t.Fatalf("%d sessions, %v, expecting one", len(infos), err)
	}
	f, err := os.Open(infos[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	talk, _, err := session.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return talk.Entries
}

// checkWentOn checks that nothing of the conversation was lost, that each call
// has its result, and that a question and its answer were added.
func checkWentOn(t *testing.T, before, after []loop.Entry) {
	t.Helper()
	if len(after) != len(before)+2 {
		t.Fatalf("%d entries, then %d", len(before), len(after))
	}
	for i, e := range before {
		if e.Text != after[i].Text || len(e.Results) != len(after[i].Results) {
			t.Errorf("entry %d changed from %+v to %+v", i, e, after[i])
		}
		if n := len(e.Calls); n > 0 && (i+1 == len(before) || len(before[i+1].Results) != n) {
			t.Errorf("the %d calls of entry %d have no results", n, i)
		}
	}
	if len(before) > 0 && before[0].Text != "do all of it" {
		t.Errorf("the task is %q", before[0].Text)
	}
	if q, a := after[len(after)-2], after[len(after)-1]; q.Text != "and now?" || a.Text != "It went on." {
		t.Errorf("%q was answered by %q", q.Text, a.Text)
	}
}
