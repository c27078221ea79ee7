package byteset

import "golang.org/x/sys/cpu"

// fast says whether index may be used.
var fast = cpu.X86.HasAVX2

// index returns the offset of the first byte of the set in the n bytes at p, at
// least 32, or n. The entries of the upper halves follow those of the lower.
//
//go:noescape
func index(p *byte, n int, low *[16]byte) int
