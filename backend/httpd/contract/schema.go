package contract

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/eventlog"
	"signalbox/backend/fault"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
	"signalbox/backend/workdir"
)

// prefix begins every reference to a schema.
const prefix = "#/components/schemas/"

func init() {
	// A list of ours is never null.
	huma.DefaultArrayNullable = false
	// The decoder takes a name in any casing: only the exact one may pass.
	huma.ValidateStrictCasing = true
	// Of a large bound people read the digits.
	huma.ErrorFormatter = func(format string, args ...any) string {
		for i, a := range args {
			if n, ok := a.(float64); ok {
				args[i] = strconv.FormatFloat(n, 'f', -1, 64)
			}
		}
		return fmt.Sprintf(format, args...)
	}
}

// names are those of types that would be taken for another by their own.
var names = map[reflect.Type]string{
	reflect.TypeFor[agent.Described](): "Agent",
	reflect.TypeFor[agent.Info]():      "AgentInfo",
	reflect.TypeFor[agent.Status]():    "AgentStatus",
	reflect.TypeFor[agent.State]():     "AgentState",
	reflect.TypeFor[agent.SignIn]():    "AgentSignIn",
	reflect.TypeFor[agent.Sandbox]():   "AgentSandbox",
	reflect.TypeFor[fault.Code]():      "FaultCode",
	reflect.TypeFor[eventlog.Page]():   "EventPage",
	reflect.TypeFor[eventlog.Picked](): "PickedEvents",
	reflect.TypeFor[skill.List]():      "SkillList",
	reflect.TypeFor[skill.Skipped]():   "SkippedSkill",
	reflect.TypeFor[skill.Source]():    "SkillSource",
	reflect.TypeFor[workdir.Found]():   "FoundFiles",
	reflect.TypeFor[workdir.File]():    "WorkFile",
}

func name(t reflect.Type, hint string) string {
	if n, ok := names[t]; ok {
		return n
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// NewRegistry returns the schemas of events, frames and commands, to which the
// routes add those of their bodies.
func NewRegistry() huma.Registry {
	r := huma.NewMapRegistry(prefix, name)
	alias[wire.Mode, enum[wire.Mode]](r)
	alias[wire.TodoStatus, enum[wire.TodoStatus]](r)
	alias[wire.ApprovalKind, enum[wire.ApprovalKind]](r)
	alias[wire.ApprovalOption, enum[wire.ApprovalOption]](r)
	alias[wire.Level, enum[wire.Level]](r)
	alias[wire.Status, enum[wire.Status]](r)
	alias[wire.CostKind, enum[wire.CostKind]](r)
	alias[wire.EpochCause, enum[wire.EpochCause]](r)
	alias[wire.Phase, enum[wire.Phase]](r)
	alias[agent.State, enum[agent.State]](r)
	alias[agent.SignIn, enum[agent.SignIn]](r)
	alias[agent.Sandbox, enum[agent.Sandbox]](r)
	alias[fault.Code, enum[fault.Code]](r)
	alias[access.Role, enum[access.Role]](r)
	alias[WhenBusy, enum[WhenBusy]](r)
	alias[When, enum[When]](r)
	alias[skill.Source, enum[skill.Source]](r)
	alias[wire.ChatID, ident[wire.ChatID]](r)
	alias[wire.RunID, ident[wire.RunID]](r)
	alias[wire.UserID, ident[wire.UserID]](r)
	alias[wire.AgentID, ident[wire.AgentID]](r)
	alias[wire.Time, time.Time](r)
	alias[eventlog.Page, eventPage](r)
	alias[eventlog.Picked, pickedEvents](r)

	events := make([]*huma.Schema, 0, len(wire.Events()))
	for _, ev := range wire.Events() {
		events = append(events, message(r, reflect.TypeOf(ev), "Event", ev.Type(), reflect.TypeFor[wire.Envelope]()))
	}
	union(r, "LoggedEvent", events...)

	frames := make([]*huma.Schema, 0, len(wire.Frames()))
	for _, f := range wire.Frames() {
		frames = append(frames, message(r, reflect.TypeOf(f), "Frame", f.Type(), nil))
	}
	r.Map()["OpenFrame"].Properties["events"] = logged()
	ack := r.Map()["AckFrame"]
	ack.Properties["result"] = r.Schema(reflect.TypeFor[wire.PromptResult](), true, "")
	ack.Properties["error"] = r.Schema(reflect.TypeFor[wire.Fault](), true, "")
	union(r, "Frame", frames...)
	union(r, "ServerMessage", &huma.Schema{Ref: prefix + "LoggedEvent"}, &huma.Schema{Ref: prefix + "Frame"})

	union(r, "Command",
		r.Schema(reflect.TypeFor[PromptCommand](), true, ""),
		r.Schema(reflect.TypeFor[CancelCommand](), true, ""),
		r.Schema(reflect.TypeFor[AnswerCommand](), true, ""),
		r.Schema(reflect.TypeFor[QueueEditCommand](), true, ""),
		r.Schema(reflect.TypeFor[QueueMoveCommand](), true, ""),
		r.Schema(reflect.TypeFor[QueueRemoveCommand](), true, ""),
		r.Schema(reflect.TypeFor[QueueResumeCommand](), true, ""),
		r.Schema(reflect.TypeFor[TypingCommand](), true, ""),
		&huma.Schema{Ref: prefix + "PingFrame"},
		&huma.Schema{Ref: prefix + "PongFrame"})
	return r
}

func alias[T, As any](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[As]())
}

// message defines what t is on the wire: its fields beside those of the
// envelope, and its type as a constant, by which unions tell their members.
func message(r huma.Registry, t reflect.Type, suffix string, kind wire.Type, envelope reflect.Type) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}}
	parts := []reflect.Type{t}
	if envelope != nil {
		parts = []reflect.Type{envelope, t}
	}
	for _, p := range parts {
		part := huma.SchemaFromType(r, p)
		maps.Copy(s.Properties, part.Properties)
		s.Required = append(s.Required, part.Required...)
	}
	s.Properties["type"] = &huma.Schema{Type: huma.TypeString, Enum: []any{string(kind)}}
	s.Required = append(s.Required, "type")
	slices.Sort(s.Required)
	s.Required = slices.Compact(s.Required)
	return define(r, t.Name()+suffix, s)
}

func union(r huma.Registry, name string, members ...*huma.Schema) {
	define(r, name, &huma.Schema{OneOf: members})
}

// logged is a list of events of the union.
func logged() *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Ref: prefix + "LoggedEvent"}}
}

// eventPage is how an eventlog.Page looks in the schema: its events are any of
// the union, not raw JSON.
type eventPage struct{}

// Schema implements huma.SchemaProvider.
func (eventPage) Schema(r huma.Registry) *huma.Schema {
	events := logged()
	return define(r, "EventPage", &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"epoch":   {Type: huma.TypeInteger, Format: "int64"},
			"events":  events,
			"hasMore": {Type: huma.TypeBoolean},
			"open":    events,
		},
		Required: []string{"epoch", "events", "hasMore", "open"},
	})
}

// pickedEvents is how an eventlog.Picked looks in the schema.
type pickedEvents struct{}

// Schema implements huma.SchemaProvider.
func (pickedEvents) Schema(r huma.Registry) *huma.Schema {
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	return define(r, "PickedEvents", &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{"epoch": number, "events": logged(), "next": number},
		Required:   []string{"epoch", "events"},
	})
}
