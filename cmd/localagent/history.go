package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// A history is what was typed before, oldest first. It is kept in a file of
// JSON strings, one a line, that only its owner can read.
type history struct {
	path  string // "": nothing is kept
	lines []string
}

const historyLimit = 1000

// openHistory reads the history. A file that cannot be read is no reason to
// stop: nothing is remembered then.
func openHistory(path string) *history {
	h := &history{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var line string
		if json.Unmarshal(sc.Bytes(), &line) == nil {
			h.lines = append(h.lines, line)
		}
	}
	if n := len(h.lines); n > 2*historyLimit {
		h.lines = slices.Clone(h.lines[n-historyLimit:])
		h.rewrite()
	}
	return h
}

// add remembers a line, unless it is the last one again.
func (h *history) add(line string) {
	if line == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	h.write(os.O_APPEND, h.lines[len(h.lines)-1:])
}

func (h *history) rewrite() { h.write(os.O_TRUNC, h.lines) }

func (h *history) write(mode int, lines []string) {
	if h.path == "" || os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|mode, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	for _, line := range lines {
		if enc.Encode(line) != nil {
			return
		}
	}
}
