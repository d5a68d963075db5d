import type {
  QueueEditCommand,
  QueueMoveCommand,
  QueueRemoveCommand,
  QueueResumeCommand,
} from "../wire/types";
import type { QueueAct, QueueChange, QueueState } from "./queue";

type QueueCommand = QueueEditCommand | QueueMoveCommand | QueueRemoveCommand | QueueResumeCommand;

type Options = {
  readonly state: () => QueueState;
  readonly set: (queue: QueueState) => void;
  /** Sends a command and returns its id; empty where there is no line. */
  readonly send: (command: QueueCommand) => string;
};

/** Asks the server to change the queue of one chat. What was asked for shows at once, as on its way. */
export class QueueDesk {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Does something to a prompt that waits. `base` is the rev of the queue that the person saw, by
   * default the latest. A prompt has one change on its way at a time: the last wish counts.
   */
  act(clientId: string, act: QueueAct, base?: number): void {
    const queue = this.#options.state();
    const others = queue.changes.filter((c) => c.clientId !== clientId);
    const change = { clientId, act, base: base ?? queue.rev, command: "", done: false };
    this.#options.set({ ...queue, note: null, changes: [...others, change] });
    this.deliver();
  }

  /** Lets a queue that is paused go on. */
  resume(): void {
    const queue = this.#options.state();
    const command = this.#options.send({ type: "queue_resume" });
    if (command !== "") this.#options.set({ ...queue, resume: command, note: null });
  }

  /** Takes down the word that a change had no effect. */
  forget(): void {
    const queue = this.#options.state();
    if (queue.note !== null) this.#options.set({ ...queue, note: null });
  }

  /** Sends what waits for a line. */
  deliver(): void {
    const queue = this.#options.state();
    if (queue.changes.every((c) => c.command !== "")) return;
    const changes = queue.changes.map((change): QueueChange => {
      if (change.command !== "") return change;
      return { ...change, command: this.#options.send(commandOf(change)) };
    });
    this.#options.set({ ...queue, changes });
  }
}

function commandOf({ clientId, act, base }: QueueChange): QueueCommand {
  const rev = base === 0 ? {} : { rev: base };
  switch (act.kind) {
    case "edit":
      return { type: "queue_edit", clientId, text: act.text, ...rev };
    case "move":
      return { type: "queue_move", clientId, to: act.to, ...rev };
    case "remove":
      return { type: "queue_remove", clientId, ...rev };
  }
}
