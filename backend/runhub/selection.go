package runhub

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"signalbox/backend/agent"
	"signalbox/backend/catalog"
	"signalbox/backend/fault"
	"signalbox/backend/wire"
)

// defaultMode is the mode of a prompt for which nobody ever chose one.
const defaultMode = wire.ModeCode

// Check returns why no prompt could use the selection, as a fault invalid. An
// empty field is always right.
func (h *Hub) Check(s wire.Selection) error {
	if s.Mode != "" && !slices.Contains(wire.Modes(), s.Mode) {
		return fault.New(fault.Invalid, "There is no mode %.40q.", s.Mode).
			WithHint("Choose one of the modes that are listed.")
	}
	if s.Agent == "" {
		return nil
	}
	p, err := h.agents.Get(s.Agent)
	if err != nil {
		return fault.New(fault.Invalid, "There is no agent %.40q.", s.Agent).
			WithHint("Choose one of the agents that are listed.").Because(err)
	}
	return checkChoices(p.Info(), s)
}

// choose settles what a prompt uses: what it asks for, then what is chosen in
// the chat, then what the person chose last, then the first agent that is ready.
func (h *Hub) choose(ctx context.Context, by wire.Person, meta catalog.Meta, asked wire.Selection) (wire.Selection, agent.Provider, error) {
	if err := h.Check(asked); err != nil {
		return wire.Selection{}, nil, err
	}
	earlier := []wire.Selection{meta.Selected, h.chats.LastSelection(by.ID)}
	id, err := h.chooseAgent(ctx, asked, earlier)
	if err != nil {
		return wire.Selection{}, nil, err
	}
	p, err := h.agents.Get(id)
	if err != nil {
		return wire.Selection{}, nil, err
	}
	s := settle(p.Info(), asked, earlier)
	return s, p, checkChoices(p.Info(), s)
}

func (h *Hub) chooseAgent(ctx context.Context, asked wire.Selection, earlier []wire.Selection) (wire.AgentID, error) {
	if asked.Agent != "" {
		return asked.Agent, nil
	}
	for _, s := range earlier {
		if s.Agent == "" {
			continue
		}
		if _, err := h.agents.Get(s.Agent); err == nil { // it may have left the settings
			return s.Agent, nil
		}
	}
	for _, d := range h.agents.Statuses(ctx) {
		if d.Status.State == agent.StateReady {
			return d.Info.ID, nil
		}
	}
	return "", fault.New(fault.Unavailable, "No agent is ready to answer.").
		WithHint("The list of agents says what each of them needs.")
}

// settle fills what asked leaves open. Of earlier choices only those for the
// same agent count, and only values that the agent still offers.
func settle(info agent.Info, asked wire.Selection, earlier []wire.Selection) wire.Selection {
	s := asked
	s.Agent = info.ID
	if asked.Agent == "" {
		if i := slices.IndexFunc(earlier, func(e wire.Selection) bool { return e.Agent == info.ID }); i >= 0 {
			e := earlier[i]
			s.Model = firstOf(s.Model, offered(e.Model, info.Models))
			s.Effort = firstOf(s.Effort, offered(e.Effort, info.Efforts))
			s.Tier = firstOf(s.Tier, offered(e.Tier, info.Tiers))
		}
	}
	for _, e := range append(earlier, wire.Selection{Mode: defaultMode}) {
		if s.Mode == "" && hasMode(info, e.Mode) {
			s.Mode = e.Mode
		}
	}
	if s.Mode == "" && len(info.Modes) > 0 {
		s.Mode = info.Modes[0].Mode
	}
	return s
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// offered returns value if it is among choices, or if there is no list of them.
func offered(value string, choices []agent.Choice) string {
	if len(choices) > 0 && !hasChoice(choices, value) {
		return ""
	}
	return value
}

func checkChoices(info agent.Info, s wire.Selection) error {
	if s.Mode != "" && !hasMode(info, s.Mode) {
		return fault.New(fault.Invalid, "%s does not offer the mode %s.", info.Name, s.Mode).
			WithHint("Choose another mode or another agent.")
	}
	if !modelName(s.Model) {
		return fault.New(fault.Invalid, "%.40q cannot be the name of a model.", s.Model).
			WithHint("Choose one of the models that are listed.")
	}
	for _, f := range []struct {
		what, value string
		choices     []agent.Choice
	}{
		{"effort", s.Effort, info.Efforts},
		{"tier", s.Tier, info.Tiers},
	} {
		if f.value != "" && !hasChoice(f.choices, f.value) {
			return fault.New(fault.Invalid, "%s has no %s %.40q.", info.Name, f.what, f.value).
				WithHint("Leave it out, or choose one that is listed.")
		}
	}
	return nil
}

// modelName reports whether s can be handed to an agent as a model's name. Lists
// of models age, so that others are taken too, but none that a command line
// could read as an option.
func modelName(s string) bool {
	const limit = 200
	return len(s) <= limit && utf8.ValidString(s) && !strings.HasPrefix(s, "-") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

func hasChoice(choices []agent.Choice, value string) bool {
	return slices.ContainsFunc(choices, func(c agent.Choice) bool { return c.Value == value })
}

func hasMode(info agent.Info, m wire.Mode) bool {
	return m != "" && (len(info.Modes) == 0 ||
		slices.ContainsFunc(info.Modes, func(p agent.ModePolicy) bool { return p.Mode == m }))
}
