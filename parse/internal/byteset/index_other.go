//go:build !amd64

package byteset

const fast = false

func index(*byte, int, *[16]byte) int { panic("unreachable") }
