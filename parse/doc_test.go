package parse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMap: the map at the end of doc.go says where each file belongs, and names none
// that is gone.
func TestMap(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, ok := strings.Cut(string(doc), "// Where things stand:\n")
	if !ok {
		t.Fatal("doc.go has no map")
	}
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(plan, func(r rune) bool { return strings.ContainsRune(" \t\n,()", r) }) {
		if strings.HasSuffix(word, ".go") {
			named[word] = true
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "doc.go" {
			continue
		}
		if !named[file] {
			t.Errorf("%s is not on the map in doc.go", file)
		}
		delete(named, file)
	}
	for file := range named {
		t.Errorf("the map in doc.go names %s, which is gone", file)
	}
}
