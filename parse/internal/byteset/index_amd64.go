package byteset

// fast says whether index may be used: the processor has AVX2, and the system
// keeps its registers.
var fast = hasAVX2()

// index returns the offset of the first byte of the set in the n bytes at p, at
// least 32, or n.
//
//go:noescape
func index(p *byte, n int, s *nibbles) int

func hasAVX2() bool {
	const (
		osxsave, avx = 1 << 27, 1 << 28 // leaf 1, ecx
		avx2         = 1 << 5           // leaf 7, ebx
		xmm, ymm     = 1 << 1, 1 << 2   // of XCR0
	)
	if last, _, _ := cpuid(0); last < 7 {
		return false
	}
	if _, _, c := cpuid(1); c&osxsave == 0 || c&avx == 0 || xgetbv()&(xmm|ymm) != xmm|ymm {
		return false
	}
	_, b, _ := cpuid(7)
	return b&avx2 != 0
}

// cpuid asks the processor what it can do.
func cpuid(leaf uint32) (a, b, c uint32)

// xgetbv says which registers the system keeps.
func xgetbv() uint32
