package contract

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/backend/access"
	"signalbox/backend/agent"
	"signalbox/backend/auth"
	"signalbox/backend/fault"
	"signalbox/backend/skill"
	"signalbox/backend/wire"
)

// enums lists the values of each closed set of strings, so that the schema names
// them. A test compares it with the constants in the source.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[wire.Mode]():           values(wire.Modes()...),
	reflect.TypeFor[wire.TodoStatus]():     values(wire.TodoPending, wire.TodoInProgress, wire.TodoCompleted),
	reflect.TypeFor[wire.ApprovalKind]():   values(wire.ApprovalCommand, wire.ApprovalEdit, wire.ApprovalTool, wire.ApprovalPlan, wire.ApprovalQuestion),
	reflect.TypeFor[wire.ApprovalOption](): values(wire.OptionOnce, wire.OptionChat, wire.OptionDeny),
	reflect.TypeFor[wire.Level]():          values(wire.LevelInfo, wire.LevelWarn),
	reflect.TypeFor[wire.Status](): values(wire.StatusOK, wire.StatusCancelled, wire.StatusFailed,
		wire.StatusMaxIterations, wire.StatusInterrupted),
	reflect.TypeFor[wire.CostKind]():   values(wire.CostExact, wire.CostEstimated),
	reflect.TypeFor[wire.EpochCause](): values(wire.CauseRewind, wire.CauseRestore, wire.CauseClear, wire.CauseRepair),
	reflect.TypeFor[wire.Phase](): values(wire.PhaseIdle, wire.PhaseStarting, wire.PhaseRunning,
		wire.PhaseStopping, wire.PhaseHeld),
	reflect.TypeFor[agent.State]():   values(agent.StateReady, agent.StateNotInstalled, agent.StateNotSignedIn, agent.StateBroken, agent.StateUnknown),
	reflect.TypeFor[agent.SignIn]():  values(agent.SignInFound, agent.SignInMissing),
	reflect.TypeFor[agent.Sandbox](): values(agent.SandboxWorks, agent.SandboxFails),
	reflect.TypeFor[fault.Code](): values(fault.Invalid, fault.NotFound, fault.Conflict, fault.StaleEpoch, fault.Busy,
		fault.Unauthorized, fault.Forbidden, fault.TooLarge, fault.RateLimited, fault.Unavailable, fault.Canceled, fault.Internal),
	reflect.TypeFor[access.Role](): values(access.Roles()...),
	reflect.TypeFor[auth.Scope]():  values(auth.Scopes()...),
	reflect.TypeFor[WhenBusy]():    values(BusyQueue, BusyReject, BusyInterrupt),
	reflect.TypeFor[When]():        values(WhenReset),

	reflect.TypeFor[skill.Source](): values(skill.Host, skill.Workspace),
}

func values[T ~string](vs ...T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}

// enum stands for T in the schema: a reference to the named set of its values.
type enum[T ~string] string

// Schema implements huma.SchemaProvider.
func (enum[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return define(r, name(t, ""), &huma.Schema{Type: huma.TypeString, Enum: enums[t]})
}

// ident stands for an id's type in the schema.
type ident[T ~string] string

// Schema implements huma.SchemaProvider.
func (ident[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return define(r, name(t, ""), &huma.Schema{Type: huma.TypeString})
}

// define registers s under a name and returns a reference to it.
func define(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	if _, ok := r.Map()[name]; !ok {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: prefix + name}
}
