package demo

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// session is what the agent remembers: all of it is in the id.
type session struct {
	key     string
	prompts int // with the one that is being played
}

var sessionID = regexp.MustCompile(`^demo-([0-9a-f]{8})-([1-9][0-9]{0,8})$`)

// nextSession returns the session after the one that id names, a new one for "".
func nextSession(id string) (session, error) {
	if id == "" {
		key := make([]byte, 4)
		rand.Read(key) // never fails
		return session{key: hex.EncodeToString(key), prompts: 1}, nil
	}
	m := sessionID.FindStringSubmatch(id)
	if m == nil {
		return session{}, errors.New("not a session of the demo agent")
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return session{}, err
	}
	return session{key: m[1], prompts: n + 1}, nil
}

func (s session) String() string { return fmt.Sprintf("demo-%s-%d", s.key, s.prompts) }
