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
)

// WriteCorpus writes every reply of a log into dir, made if need be, as a seed
// of a fuzz target that takes one string:
//
//	localagent sessions show ID --to-corpus fuzz/testdata/fuzz/FuzzParse
//
// A file is named after its content, so one that is there already is not
// written again. n counts the new ones.
func WriteCorpus(r io.Reader, dir string) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	for reply, err := range Replay(r) {
		if err != nil {
			return n, err
		}
		switch err := writeSeed(dir, reply.Raw); {
		case err == nil:
			n++
		case !errors.Is(err, fs.ErrExist):
			return n, err
		}
	}
	return n, nil
}

// writeSeed writes one file in the format that go test reads.
func writeSeed(dir, text string) error {
	seed := fmt.Appendf(nil, "go test fuzz v1\nstring(%q)\n", text)
	sum := sha256.Sum256(seed)
	path := filepath.Join(dir, "session-"+hex.EncodeToString(sum[:8]))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(seed)
	return errors.Join(err, f.Close())
}
