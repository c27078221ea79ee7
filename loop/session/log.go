package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/localagent/localagent/loop"
)

const (
	extension = ".jsonl"
	idLayout  = "2006-01-02T15-04-05" // UTC, so that names sort by time
	fileMode  = 0o600                 // a log holds whatever the tools read
	dirMode   = 0o700
)

var (
	// ErrInUse is a log that another process, or another Log, appends to.
	ErrInUse = errors.New("session: the log is in use by another run")

	// ErrNoLog is a file that is no session log; nothing is appended to it.
	ErrNoLog = errors.New("session: not a session log")
)

// A Log is a file of lines that this process alone appends to. [Log.Write] is
// made to be the Record of a [loop.Agent]. It is not safe for concurrent use.
type Log struct {
	Header Header                 // of the runs to come; Session is set
	Exit   func(*loop.Result) int // see [Encoder]
	path   string
	file   *os.File
	sync   func() error // brings the file to disk
	enc    Encoder
	whole  int64 // bytes that end in a whole event
	err    error // the first failure; it stays
}

// Create makes a new log in dir, and dir if need be: file mode 0600, folder
// mode 0700. The name is the time in UTC and four letters that tell apart what
// began in the same second.
func Create(dir string) (*Log, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		path := filepath.Join(dir, newID(time.Now())+extension)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, fileMode)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return nil, err
		}
		syncFolder(dir)
		return start(f, path)
	}
}

// syncFolder brings the name of a new file to disk, on systems where that takes
// a step of its own. Others refuse it.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

func newID(t time.Time) string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return t.UTC().Format(idLayout) + "-" + hex.EncodeToString(b[:])
}

// Open takes up a log, to go on with the conversation in it. What a crash left
// of a last line is cut off. A file that is no log is left as it is.
func Open(path string) (*Log, *loop.Transcript, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, err
	}
	l, err := start(f, path)
	if err != nil {
		return nil, nil, err
	}
	t, err := l.resume()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return l, t, nil
}

// start locks the file. On error it is closed.
func start(f *os.File, path string) (*Log, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		err = lock(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return &Log{
		Header: Header{Session: idOf(path)},
		path:   path, file: f, sync: f.Sync,
		enc: Encoder{W: f, Keep: inLog, limit: maxLine},
	}, nil
}

// inLog leaves out of a log what message and parse say again.
func inLog(typ string) bool {
	return typ != typeText && typ != typeThinking && typ != typeRetract
}

// resume reads what the log has and makes it ready to be appended to.
func (l *Log) resume() (*loop.Transcript, error) {
	if st, err := l.file.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%w: %s", ErrNoLog, l.path))
	}
	r := newReader(l.file)
	if err := r.all(); err != nil {
		return nil, fmt.Errorf("%s: %w", l.path, err)
	}
	if r.lines.seen == 0 && !l.barelyBegun(r.lines) {
		return nil, fmt.Errorf("%w: %s", ErrNoLog, l.path)
	}
	if r.lines.torn > 0 {
		if err := os.Truncate(l.path, r.lines.end); err != nil {
			return nil, err
		}
	}
	l.whole = r.lines.end
	l.enc.seq, l.enc.total = r.seq, r.decoder.total
	return &r.t, nil
}

// barelyBegun says whether a file without a whole line is a log all the same:
// empty, or torn in its first line.
func (l *Log) barelyBegun(s *lineScanner) bool {
	if s.end > 0 {
		return false
	}
	const first = `{"v":1,"type":"`
	b := make([]byte, min(s.torn, int64(len(first))))
	if _, err := l.file.ReadAt(b, 0); err != nil {
		return false
	}
	return strings.HasPrefix(first, string(b))
}

// ID is the name of the log without its folder and extension.
func (l *Log) ID() string { return idOf(l.path) }

// Path is where the log stands.
func (l *Log) Path() string { return l.path }

// SpillDir is a folder of the log's own, for tool output that is too long to
// show. It is not made here; [Remove] takes it away with the log.
func (l *Log) SpillDir() string { return spillDir(l.path) }

func idOf(path string) string { return strings.TrimSuffix(filepath.Base(path), extension) }

func spillDir(path string) string { return strings.TrimSuffix(path, extension) + ".d" }

// Write appends an event. Its lines are written whole before Write returns, and
// are on disk when the event ends a step or a run. After an error the log ends
// with its last whole event and takes no more.
func (l *Log) Write(ev loop.Event) error {
	if l.err != nil {
		return l.err
	}
	l.enc.Header, l.enc.Exit = l.Header, l.Exit
	if err := l.write(ev); err != nil {
		l.err = fmt.Errorf("session: writing %s: %w", l.path, err)
		os.Truncate(l.path, l.whole) // half a line would spoil the next one, should anyone append
	}
	return l.err
}

func (l *Log) write(ev loop.Event) error {
	n, err := l.enc.encode(ev)
	if err != nil {
		return err
	}
	l.whole += int64(n)
	switch ev.(type) {
	case loop.StepEnded, loop.RunEnded:
		err = l.sync()
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil // a file system that cannot
	}
	return err
}

// Close gives the log free. A log that nothing was written to leaves no file.
func (l *Log) Close() error {
	err := l.file.Close()
	if l.whole == 0 {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}
