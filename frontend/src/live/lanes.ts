import { Lane, type Place } from "./lane";
import type { ApprovalState, QuestionStep, Row, Step, ToolStep } from "./rows";

type Lanes = {
  readonly tools: Map<string, Place>;
  /** Where an approval or a question is asked, by its id: in one place, if the daemon minted it. */
  readonly asked: Map<string, Set<Place>>;
  /** What subagents did, by the call that started them. */
  readonly inner: Map<string, Lane>;
};

/** The rows of a run at all depths while a batch of events is folded into them. */
export class RunLanes {
  readonly root: Lane;
  #lanes: Lanes | null = null;

  constructor(rows: readonly Row[]) {
    this.root = new Lane(rows);
  }

  get rows(): readonly Row[] {
    return this.root.rows;
  }

  /** Where what a subagent did belongs, or the run itself. */
  of(event: { readonly parentToolId?: string }): Lane {
    const parent = event.parentToolId;
    if (parent === undefined) return this.root;
    const { tools, inner } = this.#found;
    const known = inner.get(parent);
    if (known !== undefined) return known;
    const place = tools.get(parent);
    return place === undefined ? this.root : this.#enter(place, parent);
  }

  /** Edits a tool at any depth; false when there is none. */
  editTool(id: string, change: (tool: ToolStep) => ToolStep): boolean {
    const place = this.#found.tools.get(id);
    if (place === undefined) return false;
    place.lane.edit(place, (step) => (step.kind === "tool" ? change(step) : step));
    return true;
  }

  /** Puts a step in, as the lane does, so that it is found from now on. */
  put(lane: Lane, step: Step, group: string): void {
    const there = lane.find(step.key);
    const before = there === undefined ? undefined : lane.at(there);
    const place = lane.put(step, group);
    // With a call whose key something else took, all that it had inside is gone.
    if (before?.kind === "tool") this.#lanes = null;
    else note(this.#found, place, step);
  }

  /** Notes where an approval is asked that a tool waits for. */
  asks(id: string, toolId: string): void {
    const place = this.#found.tools.get(toolId);
    if (place !== undefined) ask(this.#found, id, place);
  }

  answerApproval(id: string, answer: NonNullable<ApprovalState["answer"]>): void {
    this.#edit(id, (step) => {
      if (step.kind === "approval")
        return step.key === id ? { ...step, approval: { ...step.approval, answer } } : step;
      if (step.kind !== "tool") return step;
      return { ...step, approvals: step.approvals.map((a) => (a.id === id ? { ...a, answer } : a)) };
    });
  }

  answerQuestion(id: string, answer: NonNullable<QuestionStep["question"]["answer"]>): void {
    this.#edit(id, (step) =>
      step.kind === "question" && step.key === id
        ? { ...step, question: { ...step.question, answer } }
        : step,
    );
  }

  /** Ends all text at any depth. */
  settle(at: string): void {
    this.root.settle(at);
    for (const id of this.#found.tools.keys()) {
      const place = this.#found.tools.get(id);
      const step = place?.lane.at(place);
      if (step?.kind === "tool" && step.children.length > 0) this.of({ parentToolId: id }).settle(at);
    }
  }

  #edit(id: string, change: (step: Step) => Step): void {
    for (const place of this.#found.asked.get(id) ?? []) place.lane.edit(place, change);
  }

  get #found(): Lanes {
    if (this.#lanes !== null) return this.#lanes;
    this.#lanes = { tools: new Map(), asked: new Map(), inner: new Map() };
    this.#look(this.root);
    return this.#lanes;
  }

  #look(lane: Lane): void {
    for (const place of lane.places()) {
      const step = lane.at(place);
      if (step === undefined) continue;
      note(this.#found, place, step);
      if (step.kind === "tool" && step.children.length > 0) this.#look(this.#enter(place, step.key));
    }
  }

  #enter(place: Place, id: string): Lane {
    const step = place.lane.at(place);
    const lane = new Lane(step?.kind === "tool" ? step.children : [], (children) => {
      place.lane.edit(place, (tool) => (tool.kind === "tool" ? { ...tool, children } : tool));
    });
    this.#found.inner.set(id, lane);
    return lane;
  }
}

function note(lanes: Lanes, place: Place, step: Step): void {
  if (step.kind === "tool") {
    lanes.tools.set(step.key, place);
    for (const { id } of step.approvals) ask(lanes, id, place);
  } else if (step.kind !== "todo") ask(lanes, step.key, place);
}

function ask({ asked }: Lanes, id: string, place: Place): void {
  const places = asked.get(id);
  if (places === undefined) asked.set(id, new Set([place]));
  else places.add(place);
}
