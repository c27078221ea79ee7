//go:build !amd64

package byteset

const fast = false

func index(*byte, int, *nibbles) int { panic("unreachable") }
