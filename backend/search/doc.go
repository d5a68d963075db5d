// Package search holds the rules of searching text: what a query means, what of
// a text it hits, and which part of the text shows that.
//
// Letters count without case and accents. Words are what stands between signs
// and spaces; where a script has none between words (Chinese, Japanese, Korean,
// Thai and their kind) each character counts as a word, so that any run of them
// is found. No query is an error: signs without a letter or digit look for
// nothing.
//
// The package is pure; all functions may be called from many goroutines.
package search
