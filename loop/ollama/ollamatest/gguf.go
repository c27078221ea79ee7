package ollamatest

import (
	"bufio"
	"encoding/binary"
	"io"
	"slices"
)

// The numbers of the GGUF format, version 3.
const (
	ggufVersion = 3
	ggufAlign   = 32

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeString  = 8
	typeArray   = 9

	tokenNormal  = 1
	tokenControl = 3
)

// The attention and the feed-forward layer do nothing, so they are as small as
// may be. The embedding has a dimension for each state of the script.
const (
	headSize = 16 // of the only attention head
	hidden   = 32 // size of the feed-forward layer
	dimUnit  = 32 // the embedding has a multiple of it
	boost    = 10 // weight of the token that follows
)

// WriteGGUF writes the model in the format that `ollama create` takes.
func (s Scripted) WriteGGUF(w io.Writer) error {
	c, err := s.chain()
	if err != nil {
		return err
	}
	context := s.Context
	if context == 0 {
		context = defaultTrain
	}
	out := &ggufWriter{w: bufio.NewWriter(w)}
	out.write(c.metadata(context), c.tensors())
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// dim is the size of the embedding.
func (c chain) dim() int { return padded(len(c.next), dimUnit) }

// vocabulary is every token: bytes, the two special tokens, pairs and pieces.
func (c chain) vocabulary() (tokens []string, kinds []int32) {
	for b := range 256 {
		tokens = append(tokens, spell(string([]byte{byte(b)})))
	}
	tokens = append(tokens, "<|end|>", "<|start|>")
	for _, text := range slices.Concat(c.pairs, c.pieces) {
		tokens = append(tokens, spell(text))
	}
	kinds = slices.Repeat([]int32{tokenNormal}, len(tokens))
	kinds[endToken], kinds[startToken] = tokenControl, tokenControl
	return tokens, kinds
}

// merges say which two tokens the tokenizer joins.
func (c chain) merges() []string {
	var all []string
	for _, p := range c.pairs {
		all = append(all, spell(p[:1])+" "+spell(p[1:]))
	}
	return all
}

// spell writes bytes in the alphabet of byte-level tokenizers.
func spell(text string) string {
	letters := byteLetters()
	var name []rune
	for i := range len(text) {
		name = append(name, letters[text[i]])
	}
	return string(name)
}

// byteLetters is the alphabet of byte-level tokenizers: a printable byte stands
// for itself, any other for a letter from U+0100 on.
func byteLetters() (letters [256]rune) {
	other := rune(0x100)
	for b := range letters {
		r := rune(b)
		if r > ' ' && r < 0x7f || r > 0xa0 && r != 0xad {
			letters[b] = r
			continue
		}
		letters[b] = other
		other++
	}
	return letters
}

// A field is a key of the metadata with its value: string, uint32, float32,
// []string or []int32.
type field struct {
	key   string
	value any
}

func (c chain) metadata(context int) []field {
	tokens, kinds := c.vocabulary()
	return []field{
		{"general.architecture", "llama"},
		{"general.name", "scripted"},
		{"general.file_type", uint32(0)}, // all float32
		{"llama.block_count", uint32(1)},
		{"llama.context_length", uint32(context)},
		{"llama.embedding_length", uint32(c.dim())},
		{"llama.feed_forward_length", uint32(hidden)},
		{"llama.attention.head_count", uint32(1)},
		{"llama.attention.head_count_kv", uint32(1)},
		{"llama.attention.key_length", uint32(headSize)},
		{"llama.attention.value_length", uint32(headSize)},
		{"llama.rope.dimension_count", uint32(headSize)},
		{"llama.vocab_size", uint32(len(tokens))},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"tokenizer.ggml.model", "gpt2"},
		{"tokenizer.ggml.pre", "default"},
		{"tokenizer.ggml.tokens", tokens},
		{"tokenizer.ggml.token_type", kinds},
		{"tokenizer.ggml.merges", c.merges()},
		{"tokenizer.ggml.bos_token_id", uint32(startToken)},
		{"tokenizer.ggml.eos_token_id", uint32(endToken)},
	}
}

// A tensor is a table of weights. at gives the weight of a row and a column,
// nil meaning zero everywhere.
type tensor struct {
	name       string
	cols, rows int // rows 0: a vector
	at         func(row, col int) float32
}

// tensors are the weights. A token's embedding is its state, one of the columns
// set; the norms keep it; attention and feed-forward add nothing; the output
// has a large weight from a state to the token that follows it.
func (c chain) tensors() []tensor {
	tokens, dim := c.size(), c.dim()
	one := func(int, int) float32 { return 1 }
	return []tensor{
		{"token_embd.weight", dim, tokens, func(token, col int) float32 { return bit(c.state[token] == col) }},
		{"blk.0.attn_norm.weight", dim, 0, one},
		{"blk.0.attn_q.weight", dim, headSize, nil},
		{"blk.0.attn_k.weight", dim, headSize, nil},
		{"blk.0.attn_v.weight", dim, headSize, nil},
		{"blk.0.attn_output.weight", headSize, dim, nil},
		{"blk.0.ffn_norm.weight", dim, 0, one},
		{"blk.0.ffn_gate.weight", dim, hidden, nil},
		{"blk.0.ffn_up.weight", dim, hidden, nil},
		{"blk.0.ffn_down.weight", hidden, dim, nil},
		{"output_norm.weight", dim, 0, one},
		{"output.weight", dim, tokens, func(token, col int) float32 {
			return boost * bit(col < len(c.next) && c.next[col] == token)
		}},
	}
}

func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// size is the number of bytes of a tensor, without padding.
func (t tensor) size() int { return 4 * t.cols * max(t.rows, 1) }

// A ggufWriter writes little-endian values until the first error.
type ggufWriter struct {
	w   *bufio.Writer
	n   int
	err error
}

func (g *ggufWriter) write(fields []field, tensors []tensor) {
	g.bytes("GGUF")
	g.value(uint32(ggufVersion), uint64(len(tensors)), uint64(len(fields)))
	for _, f := range fields {
		g.string(f.key)
		g.field(f.value)
	}
	offset := 0
	for _, t := range tensors {
		g.header(t, offset)
		offset += padded(t.size(), ggufAlign)
	}
	g.pad()
	for _, t := range tensors {
		g.weights(t)
	}
}

// header is a tensor's entry in the table of tensors.
func (g *ggufWriter) header(t tensor, offset int) {
	g.string(t.name)
	if t.rows == 0 {
		g.value(uint32(1), uint64(t.cols))
	} else {
		g.value(uint32(2), uint64(t.cols), uint64(t.rows))
	}
	g.value(uint32(0), uint64(offset)) // type 0: float32
}

func (g *ggufWriter) weights(t tensor) {
	weights := make([]float32, t.cols)
	for row := range max(t.rows, 1) {
		for col := range weights {
			if t.at != nil {
				weights[col] = t.at(row, col)
			}
		}
		g.value(weights)
	}
	g.pad()
}

func (g *ggufWriter) field(v any) {
	switch v := v.(type) {
	case string:
		g.value(uint32(typeString))
		g.string(v)
	case uint32:
		g.value(uint32(typeUint32), v)
	case float32:
		g.value(uint32(typeFloat32), v)
	case []string:
		g.value(uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			g.string(s)
		}
	case []int32:
		g.value(uint32(typeArray), uint32(typeInt32), uint64(len(v)))
		for _, n := range v {
			g.value(n)
		}
	}
}

func (g *ggufWriter) string(s string) {
	g.value(uint64(len(s)))
	g.bytes(s)
}

func (g *ggufWriter) bytes(s string) {
	if g.err == nil {
		_, g.err = g.w.WriteString(s)
		g.n += len(s)
	}
}

func (g *ggufWriter) value(vs ...any) {
	for _, v := range vs {
		if g.err == nil {
			g.err = binary.Write(g.w, binary.LittleEndian, v)
			g.n += binary.Size(v)
		}
	}
}

func (g *ggufWriter) pad() {
	for g.n%ggufAlign != 0 && g.err == nil {
		g.bytes("\x00")
	}
}

// padded is the next multiple of unit.
func padded(n, unit int) int { return (n + unit - 1) / unit * unit }
