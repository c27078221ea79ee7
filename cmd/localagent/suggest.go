package main

import (
	"strings"

	"github.com/hbollon/go-edlib"
)

// closest is the word of words that a person who typed typo most likely meant,
// "" when none is near: a slip or two of the keys, more only in long words, or
// one being the beginning or the end of the other.
func closest(typo string, words []string) string {
	best, bestDist := "", 1+max(1, min(3, len(typo)/3))
	for _, w := range words {
		if d := edlib.OSADamerauLevenshteinDistance(strings.ToLower(typo), w); d < bestDist {
			best, bestDist = w, d
		}
	}
	if best != "" || len(typo) < 3 {
		return best
	}
	for _, w := range words {
		if strings.HasPrefix(w, typo) || strings.HasSuffix(w, typo) || len(w) > 3 && strings.HasPrefix(typo, w) {
			return w
		}
	}
	return ""
}

// didYouMean is "; did you mean X?", or nothing when no word is near.
func didYouMean(prefix, typo string, words []string) string {
	if w := closest(typo, words); w != "" {
		return "; did you mean " + prefix + w + "?"
	}
	return ""
}
