package session

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/localagent/localagent/loop"
)

// BenchmarkEncode is what stream-json costs for each piece of a reply, and what
// a log costs for each step.
func BenchmarkEncode(b *testing.B) {
	for _, bb := range []struct {
		name   string
		events []loop.Event
	}{
		{"delta", []loop.Event{loop.TextDelta{Text: " word"}}},
		{"step", oneCall()[2:7]},
	} {
		b.Run(bb.name, func(b *testing.B) {
			e := &Encoder{W: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				for _, ev := range bb.events {
					if err := e.Encode(ev); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkRead reads a log of a thousand steps.
func BenchmarkRead(b *testing.B) {
	log := []byte(strings.Repeat(encoded(b, oneCall()...), 500))
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Read(bytes.NewReader(log)); err != nil {
			b.Fatal(err)
		}
	}
}
