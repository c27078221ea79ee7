package proc

import (
	"crypto/sha256"
	"errors"
	"hash"
	"os"
	"sync"
)

// SpillLimit is how much of one stream goes to a file.
const SpillLimit = 256 << 20

// A Stream is what a program wrote to one of its outputs.
type Stream struct {
	Head []byte // all of it, when Size says so
	Tail []byte // the end of a longer one; does not overlap Head
	Size int64  // bytes written
	Sum  []byte // SHA-256 of all of it

	Path     string // of the file that holds all of it, when Head and Tail do not
	Spilled  int64  // bytes in that file: less than Size when SpillLimit was reached or the disk is full
	SpillErr error  // why there is no file, or not all of it
}

// Whole reports whether Head and Tail are all of it.
func (s *Stream) Whole() bool { return int64(len(s.Head)+len(s.Tail)) == s.Size }

// A capture reads a pipe to its end.
type capture struct {
	done chan struct{} // closed at the end of the pipe
	pipe *os.File
	keep int

	mu     sync.Mutex // reader and stream: a pipe may outlive the wait for it
	head   []byte     // at most keep
	ring   []byte     // the last bytes after head, at most keep
	at     int        // where the next byte goes, once the ring is full
	size   int64
	sum    hash.Hash
	spill  func() (*os.File, error)
	file   *os.File
	path   string
	inFile int64
	err    error
	over   bool // stream was taken; nothing more is kept
}

func newCapture(pipe *os.File, keep int, spill func() (*os.File, error)) *capture {
	c := &capture{done: make(chan struct{}), pipe: pipe, keep: keep, sum: sha256.New(), spill: spill}
	go c.read()
	return c
}

func (c *capture) read() {
	defer close(c.done)
	buf := make([]byte, 64<<10) // what a pipe holds
	for {
		n, err := c.pipe.Read(buf)
		if n > 0 && !c.add(buf[:n]) || err != nil {
			return
		}
	}
}

// stop ends the reading. Close may wait for a read on Windows; nobody waits
// for that.
func (c *capture) stop() { go c.pipe.Close() }

// add keeps a piece; it reports whether more is wanted.
func (c *capture) add(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.sum.Write(b)
	c.size += int64(len(b))
	if c.size > int64(2*c.keep) {
		c.toFile(b)
	}
	n := min(c.keep-len(c.head), len(b))
	c.head = append(c.head, b[:n]...)
	c.toRing(b[n:])
	return true
}

func (c *capture) toRing(b []byte) {
	b = b[max(0, len(b)-c.keep):]
	n := min(c.keep-len(c.ring), len(b))
	c.ring = append(c.ring, b[:n]...)
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = copy(c.ring[c.at:], b)
		c.at = (c.at + n) % c.keep
	}
}

func (c *capture) tail() []byte {
	return append(append([]byte(nil), c.ring[c.at:]...), c.ring[:c.at]...)
}

// toFile appends a piece to the file, which begins with what was kept so far.
func (c *capture) toFile(b []byte) {
	if c.spill == nil || c.err != nil {
		return
	}
	if c.file == nil {
		if c.file, c.err = c.spill(); c.err != nil {
			return
		}
		c.path = c.file.Name()
		c.write(c.head)
		c.write(c.tail())
	}
	c.write(b)
}

var errSpillFull = errors.New("longer than a file may be")

func (c *capture) write(b []byte) {
	if c.err != nil {
		return
	}
	room := min(int64(len(b)), SpillLimit-c.inFile)
	n, err := c.file.Write(b[:room])
	c.inFile += int64(n)
	if c.err = err; err == nil && room < int64(len(b)) {
		c.err = errSpillFull
	}
}

// stream takes what was read so far and closes the file.
func (c *capture) stream() Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.file != nil {
		if err := c.file.Close(); c.err == nil {
			c.err = err
		}
	}
	return Stream{
		Head: c.head, Tail: c.tail(), Size: c.size, Sum: c.sum.Sum(nil),
		Path: c.path, Spilled: c.inFile, SpillErr: c.err,
	}
}
