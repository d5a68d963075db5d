package wire

import (
	"fmt"
	"strings"
)

// ChatID names a chat: "c_" and a ULID. It is safe as the name of a folder.
type ChatID string

// RunID names a run: "r_" and a ULID.
type RunID string

// UserID names a person: "u_" and a ULID.
type UserID string

// AgentID names an agent, as in the settings: "claude", "codex", "demo".
type AgentID string

// ParseChatID checks that s is a chat's id, so that it can be used in a path.
func ParseChatID(s string) (ChatID, error) {
	if err := checkID(s, "c_"); err != nil {
		return "", err
	}
	return ChatID(s), nil
}

// ParseRunID checks that s is a run's id.
func ParseRunID(s string) (RunID, error) {
	if err := checkID(s, "r_"); err != nil {
		return "", err
	}
	return RunID(s), nil
}

// ParseUserID checks that s is a person's id, so that it can be used in a path.
func ParseUserID(s string) (UserID, error) {
	if err := checkID(s, "u_"); err != nil {
		return "", err
	}
	return UserID(s), nil
}

// checkID reports whether s is prefix and a ULID in Crockford's base 32.
func checkID(s, prefix string) error {
	const ulidLen = 26
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != ulidLen {
		return fmt.Errorf("id %.40q is not %q and a ULID", s, prefix)
	}
	for _, c := range []byte(rest) {
		if !strings.ContainsRune("0123456789ABCDEFGHJKMNPQRSTVWXYZ", rune(c)) {
			return fmt.Errorf("id %.40q is not %q and a ULID", s, prefix)
		}
	}
	return nil
}

// Person is somebody as others see them: who sent, who answered, who watches.
type Person struct {
	ID   UserID `json:"id"`
	Name string `json:"name"`
}
