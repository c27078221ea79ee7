package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/localagent/localagent/loop"
	"github.com/localagent/localagent/loop/session"
	"github.com/spf13/pflag"
)

func (e *env) sessionDir() string { return e.statePath("sessions") }

// openLog opens the log that the flags name: a new one, the latest, one by
// name, or none.
func (j *job) openLog() error {
	o, dir := j.o, j.e.sessionDir()
	var info session.Info
	var err error
	switch {
	case o.noSession && (o.resume || o.session != ""):
		return usageErrorf("--no-session excludes -c and --session")
	case o.resume && o.session != "":
		return usageErrorf("-c and --session exclude each other")
	case o.noSession || o.dryRun && !o.resume && o.session == "":
		return nil
	case o.resume:
		info, err = session.Latest(dir)
	case o.session != "":
		info, err = session.Find(dir, o.session)
	default:
		return j.createLog(dir)
	}
	if err != nil {
		return sessionError(err, o.session)
	}
	j.log, j.talk, err = openSession(info.Path)
	if err != nil {
		return sessionError(err, info.ID)
	}
	return nil
}

// openSession opens a log. A run that was killed a moment ago may still hold it,
// by a program that it was just starting.
func openSession(path string) (log *session.Log, talk *loop.Transcript, err error) {
	const wait, pause = time.Second, 20 * time.Millisecond
	for range wait / pause {
		if log, talk, err = session.Open(path); !errors.Is(err, session.ErrInUse) {
			break
		}
		time.Sleep(pause)
	}
	return log, talk, err
}

// createLog begins a new log. Where none can be written the run goes on
// without.
func (j *job) createLog(dir string) error {
	var log *session.Log
	err := errNoState
	if dir != "" {
		log, err = session.Create(dir)
	}
	if err != nil {
		if !j.o.quiet {
			j.e.note(fmt.Sprintf("this session is not recorded: %v", err))
		}
		return nil
	}
	j.log = log
	return nil
}

// sessionError is an error of finding or opening a log, with its status.
func sessionError(err error, ref string) error {
	switch {
	case errors.Is(err, session.ErrNotFound) && ref == "":
		return usageErrorf("there is no session to go on with")
	case errors.Is(err, session.ErrNotFound):
		return usageErrorf("no session fits %q (localagent sessions lists them)", ref)
	case errors.Is(err, session.ErrAmbiguous), errors.Is(err, session.ErrNoLog), errors.Is(err, fs.ErrNotExist):
		return &statusError{exitUsage, err}
	}
	return err
}

func sessionsCommand() *command {
	return &command{
		name:    "sessions",
		args:    "[list | show [ID] | path [ID] | rm ID…]",
		summary: "what was recorded: list, show, read again, remove",
		about: "Every run is recorded as JSON lines, the same as -o stream-json prints, with the raw bytes of every reply. " +
			"ID is an id of the list, its beginning or end, or a file; without one it is the latest.\n" +
			"`show` prints the conversation; with --replay every reply is read again with this version's parser and differences are shown; with --to-corpus the replies become seeds for go test -fuzz.",
		examples: []example{
			{`localagent sessions`, "the latest first"},
			{`localagent sessions show`, "the latest of them"},
			{`localagent -c "and what about the other file?"`, "go on with the latest"},
		},
		groups: []group{{"Sessions", addSessionsFlags}},
		run:    runSessions,
	}
}

// sessionsOptions are the flags of sessions alone.
type sessionsOptions struct {
	replay bool
	corpus string
}

func addSessionsFlags(f *pflag.FlagSet, o *options) {
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.sessions.replay, "replay", false, "read the replies again with this version's parser")
	f.StringVar(&o.sessions.corpus, "to-corpus", "", "write the replies as fuzz seeds to `DIR`")
}

func runSessions(_ context.Context, e *env, o *options, args []string) error {
	if len(args) == 0 {
		args = []string{"list"}
	}
	verb, refs := args[0], args[1:]
	switch {
	case verb == "list" && len(refs) == 0:
		return e.listSessions(o)
	case verb == "rm" && len(refs) > 0:
		return e.removeSessions(refs)
	case (verb == "show" || verb == "path") && len(refs) <= 1:
		info, err := e.findSession(refs)
		if err != nil {
			return err
		}
		if verb == "path" {
			e.out.put(info.Path, "\n")
			return nil
		}
		return e.showSession(o, info)
	case verb == "list" || verb == "rm" || verb == "show" || verb == "path":
		return usageErrorf("want sessions list, show [ID], path [ID] or rm ID…")
	}
	return usageErrorf("sessions has no %q%s", verb, didYouMean("", verb, subcommands["sessions"]))
}

// findSession finds the session that is named, else the latest.
func (e *env) findSession(refs []string) (session.Info, error) {
	if len(refs) == 0 {
		info, err := session.Latest(e.sessionDir())
		if errors.Is(err, session.ErrNotFound) {
			err = usageErrorf("no sessions yet")
		}
		return info, err
	}
	info, err := session.Find(e.sessionDir(), refs[0])
	if err != nil {
		err = sessionError(err, refs[0])
	}
	return info, err
}

// A sessionInfo is a session as --json shows it.
type sessionInfo struct {
	ID       string    `json:"id"`
	Path     string    `json:"path"`
	Began    time.Time `json:"began"`
	Modified time.Time `json:"modified"`
	Model    string    `json:"model"`
	CWD      string    `json:"cwd"`
	Prompt   string    `json:"prompt"`
	Steps    int       `json:"steps"`
	Stop     loop.Stop `json:"stop"`
	Bytes    int64     `json:"bytes"`
}

func (e *env) listSessions(o *options) error {
	infos, err := session.List(e.sessionDir())
	if err != nil {
		return err
	}
	if o.json {
		list := []sessionInfo{}
		for _, i := range infos {
			list = append(list, sessionInfo{i.ID, i.Path, i.Began, i.Modified, i.Model, i.CWD, i.Prompt, i.Steps, i.Stop, i.Size})
		}
		return printJSON(e.out, list)
	}
	if len(infos) == 0 {
		e.note("no sessions yet")
		return nil
	}
	stop := func(i session.Info) string { return cmp.Or(string(i.Stop), "open") }
	widest := 0
	for _, i := range infos {
		widest = max(widest, len(stop(i)))
	}
	for _, i := range infos {
		state, model := fmt.Sprintf("  %-*s  ", widest, stop(i)), fmt.Sprintf("%-14s  ", cutWidth(i.Model, 14))
		if e.out.tty && len(i.ID+state+model) > e.out.width() {
			model = ""
		}
		e.out.row(i.Prompt, span{styleName, i.ID}, state, model)
	}
	return nil
}

func (e *env) removeSessions(refs []string) error {
	for _, ref := range refs {
		info, err := session.Remove(e.sessionDir(), ref)
		if err != nil {
			return sessionError(err, ref)
		}
		e.out.put("removed ", info.ID, "\n")
	}
	return nil
}

// showSession prints a log as a conversation, or what today's parser makes of
// it.
func (e *env) showSession(o *options, info session.Info) error {
	f, err := os.Open(info.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	switch {
	case o.sessions.corpus != "":
		n, err := session.WriteCorpus(f, o.sessions.corpus)
		if err != nil {
			return err
		}
		e.out.put(plural(n, "new seed") + " in " + o.sessions.corpus + "\n")
		return nil
	case o.sessions.replay:
		return e.replaySession(o, f)
	case o.json:
		return e.copyLines(f)
	}
	for ev, err := range session.Events(f) {
		if err != nil {
			return err
		}
		e.tell(ev)
	}
	return nil
}

// copyLines prints the lines of a log as they are.
func (e *env) copyLines(f *os.File) error {
	for line, err := range session.Lines(f) {
		if err != nil {
			return err
		}
		e.out.jsonLines(append(line.JSON[:len(line.JSON):len(line.JSON)], '\n'))
	}
	return nil
}

// tell prints an event of a recorded run.
func (e *env) tell(ev loop.Event) {
	say := func(who, text string) {
		e.out.put(span{styleBold, who}, "  "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "), "\n\n")
	}
	switch ev := ev.(type) {
	case loop.UserMessage:
		if ev.Kind == loop.KindNote {
			say("note", ev.Text)
			return
		}
		say("you", ev.Text)
	case loop.Replied:
		if ev.Aborted {
			say("model (cancelled)", ev.Raw)
			return
		}
		say("model", ev.Raw)
	case loop.ToolEnded:
		e.out.put(span{styleName, ev.Result.Name}, " "+describeArgs(ev.Call.Args, 100)+" → "+string(ev.Result.Status)+"\n")
		say("", ev.Result.Text)
	case loop.RunEnded:
		if ev.Result.Stop != loop.StopFinal {
			say("stopped", stopText(ev.Result))
		}
	}
}

// replaySession reads the replies of a log again and prints where today's
// parser says otherwise.
func (e *env) replaySession(o *options, f *os.File) error {
	replies, changed := 0, 0
	for r, err := range session.Replay(f) {
		if err != nil {
			return err
		}
		replies++
		if o.json {
			line := fmt.Appendf(nil, `{"run":%d,"step":%d,"same":%t,`, r.Run, r.Step, len(r.Differences) == 0)
			e.out.jsonLines(append(appendReading(line, &r.Now), '}', '\n'))
			continue
		}
		look, word := styleGood, "same"
		if len(r.Differences) > 0 {
			look, word = styleWarn, "differs"
			changed++
		}
		e.out.put(fmt.Sprintf("run %d, step %d: ", r.Run, r.Step), span{look, word}, ": "+kinds[r.Now.Outcome]+"\n")
		for _, d := range r.Differences {
			e.out.put("  "+d, "\n")
		}
		if len(r.Differences) > 0 {
			explain(e.out, r.Raw, &r.Now)
		}
	}
	if !o.json {
		e.out.put(fmt.Sprintf("%s read again, %d differ\n", pluralOf(replies, "reply", "replies"), changed))
	}
	return nil
}
