package parse

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// A member is a key of an open object and, once read, its value, as ranges of
// the output.
type member struct {
	keyAt, keyEnd int
	valAt, valEnd int
	src           int // offset of the key in the text
}

// beginKey starts a member of the innermost object or of named arguments.
func (r *reader) beginKey() {
	f := &r.stack[len(r.stack)-1]
	if f.n > 0 {
		r.out = append(r.out, ',')
	}
	f.n++
	r.comma = -1
	r.keys = append(r.keys, member{})
	m := &r.keys[len(r.keys)-1]
	m.keyAt, m.src = len(r.out), r.tokAt
}

// endKey notes the key that was just written.
func (r *reader) endKey() {
	m := &r.keys[len(r.keys)-1]
	m.keyEnd = len(r.out)
	r.out = append(r.out, ':')
	m.valAt = len(r.out)
	r.expect = expectColon
	key := r.key(len(r.keys) - 1)
	r.schema = r.schema || key == "properties"
	if len(r.keys) == 1 && r.first == 0 {
		r.first = m.keyEnd
		r.wrapped = isWrapperKey(key)
	}
	if r.callDepth() {
		r.openValue = isNameKey(key)
		wraps := isWrapperKey(key)
		r.callKeys = r.callKeys || r.openValue || wraps
		r.argsKeys = r.argsKeys || isArgsKey(key)
		r.givesArgs = r.givesArgs || isArgsKey(key) && key != "parameters"
		r.wrapped = r.wrapped || wraps && len(r.stack) == 1 && leadsCalls(r.firstKey())
	}
}

// checkKeys refuses keys that stand twice with different values, and removes
// those that stand twice with the same.
func (r *reader) checkKeys(f *frame) {
	ms := r.keys[f.keys:]
	if len(ms) < 2 || r.failed() || !r.hasDouble(ms) {
		return
	}
	seen := make(map[string]int, len(ms))
	out := make([]byte, 0, len(r.out)-ms[0].keyAt)
	parts := r.parts[f.parts:]
	r.parts = r.parts[:f.parts]
	for k, m := range ms {
		n := 0
		for n < len(parts) && parts[n].out < m.valEnd {
			n++
		}
		inside := parts[:n]
		parts = parts[n:]
		key := string(r.out[m.keyAt:m.keyEnd])
		if at, ok := seen[key]; ok {
			if o := ms[at]; string(r.out[o.valAt:o.valEnd]) != string(r.out[m.valAt:m.valEnd]) {
				r.fail(ReasonDuplicateKey, m.src, "one value for "+key)
				return
			}
			r.repair(RepairDoubledKey, m.src)
			continue
		}
		seen[key] = k
		if len(out) > 0 {
			out = append(out, ',')
		}
		by := m.keyAt - (ms[0].keyAt + len(out))
		for _, p := range inside {
			r.parts = append(r.parts, part{p.out - by, p.span})
		}
		out = append(out, r.out[m.keyAt:m.valEnd]...)
	}
	r.out = append(r.out[:ms[0].keyAt], out...)
	r.keys = r.keys[:f.keys] // their places have changed
}

// hasDouble reports whether two members have the same key. It enters each in a table
// that the last bytes of its key index, at the next free place.
func (r *reader) hasDouble(ms []member) bool {
	if len(ms) > 32 {
		return r.hasDoubleHash(ms)
	}
	if len(ms) == 2 {
		return r.sameKey(&ms[0], &ms[1])
	}
	var table [64]uint8
	for j := range ms {
		m := &ms[j]
		h := keyTail(r.out[m.keyAt:m.keyEnd]) * 0x9E3779B97F4A7C15 >> 58
		for ; table[h] != 0; h = (h + 1) % uint64(len(table)) {
			if r.sameKey(&ms[table[h]-1], m) {
				return true
			}
		}
		table[h] = uint8(j + 1)
	}
	return false
}

// hasDoubleHash is hasDouble for many members: a table of their hashes, whose
// seed a model cannot know.
func (r *reader) hasDoubleHash(ms []member) bool {
	if r.seed == (maphash.Seed{}) {
		r.seed = maphash.MakeSeed()
	}
	size := 1 << bits.Len(uint(2*len(ms)))
	if cap(r.table) < size {
		r.table = make([]int32, size)
	}
	r.table = r.table[:size]
	clear(r.table)
	for j := range ms {
		m := &ms[j]
		h := int(maphash.Bytes(r.seed, r.out[m.keyAt:m.keyEnd])) & (size - 1)
		for ; r.table[h] != 0; h = (h + 1) & (size - 1) {
			if r.sameKey(&ms[r.table[h]-1], m) {
				return true
			}
		}
		r.table[h] = int32(j + 1)
	}
	return false
}

func (r *reader) sameKey(a, b *member) bool {
	return a.keyEnd-a.keyAt == b.keyEnd-b.keyAt && string(r.out[a.keyAt:a.keyEnd]) == string(r.out[b.keyAt:b.keyEnd])
}

// keyTail is the last eight bytes of a key, in which different keys mostly differ.
func keyTail(key []byte) (end uint64) {
	if n := len(key); n >= 8 {
		return binary.LittleEndian.Uint64(key[n-8:])
	}
	for _, c := range key {
		end = end<<8 | uint64(c)
	}
	return end
}
