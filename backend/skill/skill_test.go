package skill_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/backend/skill"
	"signalbox/backend/wire"
)

// put writes the SKILL.md of a folder.
func put(t *testing.T, text string, folder ...string) {
	t.Helper()
	dir := filepath.Join(folder...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func says(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nDo it.\n"
}

func list(t *testing.T, places skill.Places, cwd string) skill.List {
	t.Helper()
	l, err := skill.New(map[wire.AgentID]skill.Places{"a": places}).List(t.Context(), "a", cwd)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A84, A90, A91.
func TestCatalogue_readsWhatEachAgentReads(t *testing.T) {
	t.Parallel()
	home, cwd := t.TempDir(), t.TempDir()
	put(t, says("pdf", "Reads PDFs"), home, ".claude", "skills", "pdf")
	put(t, says("other", "Is named otherwise"), home, ".claude", "skills", "folder")
	put(t, "No block here.", home, ".claude", "skills", "bare")
	put(t, says("shared", "Is shared"), home, ".agents", "skills", "shared")
	put(t, says("own", "Is Codex's own"), home, ".codex", "skills", "x")
	put(t, "No block here.", home, ".codex", "skills", "bare")
	put(t, "---\ndescription: Kimi's own\n---\n", home, ".kimi-code", "skills", "k")
	put(t, says("deploy", "Of the folder"), cwd, ".claude", "skills", "deploy")
	put(t, says("pdf", "Another of the name"), cwd, ".claude", "skills", "pdf")
	put(t, says("shared", "Of the folder"), cwd, ".agents", "skills", "shared")
	put(t, says("wiring", "Of the folder"), cwd, ".codex", "skills", "wiring")

	catalogue := skill.New(skill.Vendors(func(name string) string { return map[string]string{"HOME": home}[name] }))
	host, work := skill.Host, skill.Workspace
	noBlock := "SKILL.md does not begin with a block between lines of ---."
	tests := []struct {
		agent wire.AgentID
		cwd   string
		want  skill.List
	}{
		{"claude", cwd, skill.List{Skills: []skill.Skill{
			{"bare", "", host},
			{"deploy", "Of the folder", work},
			{"folder", "Is named otherwise", host},
			{"pdf", "Reads PDFs", host},
		}}},
		{"claude", "", skill.List{Skills: []skill.Skill{{"bare", "", host}, {"folder", "Is named otherwise", host}, {"pdf", "Reads PDFs", host}}}},
		{"codex", cwd, skill.List{
			Skills:  []skill.Skill{{"own", "Is Codex's own", host}, {"shared", "Of the folder", work}, {"wiring", "Of the folder", work}},
			Skipped: []skill.Skipped{{"bare", host, noBlock}},
		}},
		{"kimi", cwd, skill.List{Skills: []skill.Skill{{"k", "Kimi's own", host}, {"shared", "Of the folder", work}}}},
		{"demo", cwd, skill.List{Skills: []skill.Skill{}}},
		{"claude", filepath.Join(cwd, "gone"), skill.List{Skills: []skill.Skill{{"bare", "", host}, {"folder", "Is named otherwise", host}, {"pdf", "Reads PDFs", host}}}},
	}
	for _, tt := range tests {
		got, err := catalogue.List(t.Context(), tt.agent, tt.cwd)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s in %q (-want +got):\n%s", tt.agent, tt.cwd, diff)
		}
	}
}

func TestVendors_lookWhereTheirVariablesPoint(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/home/a", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "relative"}
	got := skill.Vendors(func(name string) string { return env[name] })
	want := map[wire.AgentID][]string{
		"claude": {"/c/skills"}, "codex": {"/home/a/.agents/skills"},
		"kimi": {"/home/a/.kimi-code/skills", "/home/a/.agents/skills"},
	}
	for agent, dirs := range want {
		if diff := cmp.Diff(dirs, got[agent].Host); diff != "" {
			t.Errorf("%s (-want +got):\n%s", agent, diff)
		}
	}
	if none := skill.Vendors(func(string) string { return "" }); none["claude"].Host != nil || none["codex"].Host != nil {
		t.Errorf("without a home there is %v", none)
	}
}

// What is hostile or broken is skipped and told, and hides nothing else.
func TestCatalogue_skipsWhatIsNoSkill(t *testing.T) {
	t.Parallel()
	base, cwd := t.TempDir(), t.TempDir()
	secret := filepath.Join(base, "secret")
	put(t, says("secret", "Nobody's business"), secret)
	skills := filepath.Join(cwd, "s")
	put(t, says("good", "Works"), skills, "good")
	put(t, "---\nname: no end\n", skills, "open")
	put(t, "---\nname: "+strings.Repeat("x", 1<<20)+"\n---\n", skills, "huge")
	put(t, says("two words", "Has a space"), skills, "space")
	put(t, "---\nname: \xff\ndescription: d\n---\n", skills, "utf8")
	put(t, "---\nname: colon\ndescription: Use when: you need it\n---\n", skills, "colon")
	put(t, says("../up", "Climbs"), skills, "climb")
	put(t, says("in", "Lies inside, and is linked"), cwd, "elsewhere", "in")
	must(t, os.MkdirAll(filepath.Join(skills, "fifo"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(skills, "fifo", "SKILL.md"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(skills, "pipe"), 0o600))
	must(t, os.MkdirAll(filepath.Join(skills, "folder", "SKILL.md"), 0o700))
	must(t, os.MkdirAll(filepath.Join(skills, "empty"), 0o700))
	must(t, os.WriteFile(filepath.Join(skills, "README.md"), nil, 0o600))
	must(t, os.Symlink(secret, filepath.Join(skills, "out")))
	must(t, os.MkdirAll(filepath.Join(skills, "peek"), 0o700))
	must(t, os.Symlink(filepath.Join(secret, "SKILL.md"), filepath.Join(skills, "peek", "SKILL.md")))
	must(t, os.Symlink("../elsewhere/in", filepath.Join(skills, "inside")))
	must(t, os.Symlink("loop", filepath.Join(skills, "loop")))

	got := list(t, skill.Places{Workspace: []string{"s"}, Strict: true}, cwd)
	want := []skill.Skill{{"good", "Works", skill.Workspace}, {"in", "Lies inside, and is linked", skill.Workspace}}
	if diff := cmp.Diff(want, got.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	skipped := map[string]string{}
	for _, s := range got.Skipped {
		skipped[s.Folder] = s.Why
	}
	for folder, part := range map[string]string{
		"open": "no end", "huge": "no end", "space": "name cannot be", "utf8": "not text in UTF-8", "colon": "line 3: mapping values", "climb": "name cannot be",
		"fifo": "not a file", "folder": "not a file", "out": "leads out", "peek": "leads out", "loop": "cannot be read",
	} {
		if !strings.Contains(skipped[folder], part) {
			t.Errorf("%s is skipped since %q", folder, skipped[folder])
		}
		delete(skipped, folder)
	}
	if len(skipped) > 0 {
		t.Errorf("skipped, too: %v", skipped)
	}
	if text := fmt.Sprint(got); strings.Contains(text, "business") {
		t.Errorf("what lies outside is told: %s", text)
	}
}

// One that is called as its folder is one also where nothing of its SKILL.md can
// be read; why it has no description is told.
func TestCatalogue_calledAsItsFolder(t *testing.T) {
	t.Parallel()
	cwd := t.TempDir()
	put(t, "---\nname: other\ndescription: Use when: you need it\n---\n", cwd, "s", "colon")
	put(t, "# No block\n", cwd, "s", "plain")
	got := list(t, skill.Places{Workspace: []string{"s"}, ByFolder: true}, cwd)
	want := skill.List{
		Skills: []skill.Skill{{Name: "colon", Source: skill.Workspace}, {Name: "plain", Source: skill.Workspace}},
		Skipped: []skill.Skipped{{
			Folder: "colon", Source: skill.Workspace,
			Why: "The block at the beginning of SKILL.md is not valid YAML: line 3: mapping values are not allowed in this context.",
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// On the host people link skills into the folders of several agents.
func TestCatalogue_followsLinkedFoldersOfTheHost(t *testing.T) {
	t.Parallel()
	dir, store, outside := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, says("linked", "Lies elsewhere"), store, "linked")
	put(t, says("secret", "Nobody's business"), outside)
	must(t, os.Symlink(filepath.Join(store, "linked"), filepath.Join(dir, "linked")))
	must(t, os.MkdirAll(filepath.Join(dir, "peek"), 0o700))
	must(t, os.Symlink(filepath.Join(outside, "SKILL.md"), filepath.Join(dir, "peek", "SKILL.md")))
	got := list(t, skill.Places{Host: []string{dir, filepath.Join(dir, "gone")}}, "")
	if diff := cmp.Diff([]skill.Skill{{"linked", "Lies elsewhere", skill.Host}}, got.Skills); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Skipped) != 1 || got.Skipped[0].Folder != "peek" {
		t.Errorf("skipped: %v", got.Skipped)
	}
}

func TestCatalogue_hasAnEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1500 {
		put(t, says(fmt.Sprintf("s%04d", i), strings.Repeat("long ", 200)), dir, fmt.Sprintf("s%04d", i))
	}
	got := list(t, skill.Places{Host: []string{dir}}, "")
	if len(got.Skills) != 1000 || !got.More {
		t.Errorf("%d skills, more %v", len(got.Skills), got.More)
	}
	if d := []rune(got.Skills[0].Description); len(d) > 240 || d[len(d)-1] != '…' {
		t.Errorf("a description has %d characters", len(d))
	}
}

func TestCatalogue_endsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := skill.New(map[wire.AgentID]skill.Places{"a": {}}).List(ctx, "a", t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("List = %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
