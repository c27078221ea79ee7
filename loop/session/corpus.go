package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/localagent/localagent/parse"
)

// WriteCorpus writes every reply of a log into dir, made if need be, as a seed
// of FuzzParse:
//
//	localagent sessions show ID --to-corpus fuzz/testdata/fuzz/FuzzParse
//
// A seed is the text of the reply and a byte that says how it was read. A file
// is named after its content, so one that is there already is not written
// again. n counts the new ones.
func WriteCorpus(r io.Reader, dir string) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for reply, err := range Replay(r) {
		if err != nil {
			return n, err
		}
		switch err := writeSeed(dir, seed(reply)); {
		case err == nil:
			n++
		case !errors.Is(err, fs.ErrExist):
			return n, err
		}
	}
	return n, nil
}

// seed is a reply in the format that go test reads.
func seed(r Reply) []byte {
	return fmt.Appendf(nil, "go test fuzz v1\nstring(%q)\nbyte(%q)\n", r.Raw, seedMode(r))
}

// The bits of the byte of a seed, as FuzzParse reads them.
const (
	seedInThought = 1 << iota
	seedExpectJSON
	seedNoSchemas
	seedNoTools
	seedLength
	seedUnknown
)

func seedMode(r Reply) (m byte) {
	if r.Options.InThought {
		m |= seedInThought
	}
	if r.Options.ExpectJSON {
		m |= seedExpectJSON
	}
	if !slices.ContainsFunc(r.Options.Tools, func(t parse.Tool) bool { return len(t.Parameters) > 0 }) {
		m |= seedNoSchemas
	}
	if len(r.Options.Tools) == 0 {
		m |= seedNoTools
	}
	switch r.Finish {
	case parse.FinishLength:
		m |= seedLength
	case parse.FinishUnknown:
		m |= seedUnknown
	}
	return m
}

// writeSeed writes a new file.
func writeSeed(dir string, seed []byte) error {
	sum := sha256.Sum256(seed)
	path := filepath.Join(dir, "session-"+hex.EncodeToString(sum[:8]))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(seed)
	return errors.Join(err, f.Close())
}
