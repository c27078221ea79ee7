package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadModelOptions(t *testing.T) {
	got, err := readModelOptions([]string{"top_k=5", "top_p=0.5", "low_vram=true", "stop=inf", "min_p=NaN", "a=b=c", "n=1e400"})
	want := map[string]any{"top_k": 5, "top_p": 0.5, "low_vram": true, "stop": "inf", "min_p": "NaN", "a": "b=c", "n": "1e400"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}
