package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests that docs/reliability.md names are there: a promise whose test was
// renamed or deleted is no promise any more.
func TestReliability_namesTestsThatExist(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	doc, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile("`([^`]+)`")
	folder := regexp.MustCompile(`^(backend|cmd)/[a-z/]+$`)
	test := regexp.MustCompile(`^(Test|Fuzz)\w+$`)
	named := 0
	for row := range strings.Lines(string(doc)) {
		dir := ""
		for _, m := range words.FindAllStringSubmatch(row, -1) {
			switch word := m[1]; {
			case folder.MatchString(word):
				dir = word
			case !test.MatchString(word):
			case dir == "":
				t.Errorf("%s is named without its folder", word)
			case !hasTest(t, filepath.Join(root, dir), word):
				t.Errorf("%s has no %s", dir, word)
			default:
				named++
			}
		}
	}
	if named == 0 {
		t.Error("no test is named at all")
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "func "+name+"(") {
			return true
		}
	}
	return false
}
