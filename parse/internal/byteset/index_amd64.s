#include "textflag.h"

// CLASSIFY leaves in R the bytes of R that are in the set, as bytes that are not
// zero: Y0 and Y1 hold the entries of the halves, Y2 fifteens. T is used up.
#define CLASSIFY(R, T) \
	VPSRLW  $4, R, T  \
	VPAND   Y2, R, R  \
	VPAND   Y2, T, T  \
	VPSHUFB R, Y0, R  \
	VPSHUFB T, Y1, T  \
	VPAND   T, R, R

// func index(p *byte, n int, s *nibbles) int
TEXT ·index(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ s+16(FP), BX
	VBROADCASTI128 (BX), Y0
	VBROADCASTI128 16(BX), Y1
	MOVQ $0x0F, AX
	VMOVQ AX, X2
	VPBROADCASTB X2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ SI, DI         // where it began
	LEAQ (SI)(CX*1), DX // the end
	LEAQ -32(DX), R9    // the last block
	LEAQ -64(DX), R8

	// The first block alone: the next byte is mostly near.
	VMOVDQU (SI), Y4
	CLASSIFY(Y4, Y5)
	VPTEST Y4, Y4
	JNZ found
	ADDQ $32, SI

two:
	CMPQ SI, R8
	JA one
	VMOVDQU (SI), Y4
	VMOVDQU 32(SI), Y6
	CLASSIFY(Y4, Y5)
	CLASSIFY(Y6, Y7)
	VPOR Y4, Y6, Y8
	VPTEST Y8, Y8
	JNZ foundTwo
	ADDQ $64, SI
	JMP two

one:
	CMPQ SI, DX
	JAE none
	CMPQ SI, R9
	JBE whole
	MOVQ R9, SI // what stands before was looked at, and is not in the set
whole:
	VMOVDQU (SI), Y4
	CLASSIFY(Y4, Y5)
	VPTEST Y4, Y4
	JNZ found
	ADDQ $32, SI
	JMP one

none:
	MOVQ CX, ret+24(FP)
	VZEROUPPER
	RET

foundTwo:
	VPTEST Y4, Y4
	JNZ found
	VMOVDQA Y6, Y4
	ADDQ $32, SI

found:
	VPCMPEQB Y3, Y4, Y4
	VPMOVMSKB Y4, AX
	NOTL AX
	BSFL AX, AX
	SUBQ DI, SI
	ADDQ SI, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

// func cpuid(leaf uint32) (a, b, c uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
