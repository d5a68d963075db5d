import type { AckFrame, Fault, QueueFrame } from "../wire/types";
import type { Answering, ChatState } from "./chat.state";
import { foldQueue, settleChange } from "./queue";

/** Takes in the server's answer to one command. */
export function foldAck(state: ChatState, ack: AckFrame): ChatState {
  const queue = settleChange(state.queue, ack);
  if (queue !== state.queue) return { ...state, queue };
  if (state.stop?.command === ack.id) {
    return ack.ok ? state : { ...state, stop: { ...state.stop, fault: faultOf(ack) } };
  }
  const answered = [...state.answers].find(([, a]) => a.command === ack.id);
  if (answered !== undefined) {
    const [request, answering] = answered;
    // The card stands until the log has the answer.
    if (ack.ok) return { ...state, said: saidWith(answering) ?? state.said };
    const answers = new Map(state.answers).set(request, { ...answering, fault: faultOf(ack) });
    return { ...state, answers };
  }
  const item = state.outbox.find((o) => o.command === ack.id);
  if (item === undefined) return state;
  if (ack.ok) {
    const seq = ack.result?.seq;
    const known = seq !== undefined && seq <= state.cursor.heard;
    const accepted = { ...item, queued: ack.result?.queued !== undefined };
    return {
      ...state,
      outbox: known
        ? state.outbox.filter((o) => o !== item)
        : state.outbox.map((o) => (o === item ? accepted : o)),
    };
  }
  const { clientId, text, attachments } = item;
  return {
    ...state,
    outbox: state.outbox.filter((o) => o !== item),
    refusal: { clientId, text, attachments, fault: faultOf(ack) },
  };
}

/** Takes in the queue: what it holds is no longer on its way. */
export function foldQueueFrame(state: ChatState, frame: QueueFrame): ChatState {
  const held = new Set(frame.items.map((item) => item.clientId));
  const outbox = state.outbox.filter((o) => !held.has(o.clientId) && o.queued !== true);
  return {
    ...state,
    queue: foldQueue(state.queue, frame),
    outbox: outbox.length === state.outbox.length ? state.outbox : outbox,
  };
}

/** An answer has counted: what was written with it is said, and need not be kept. */
export function taken(state: ChatState, request: string): ChatState {
  const answering = state.answers.get(request);
  if (answering === undefined) return state;
  const answers = new Map([...state.answers].filter(([id]) => id !== request));
  return { ...state, answers, said: saidWith(answering) ?? state.said };
}

function saidWith({ command, words }: Answering): ChatState["said"] {
  return words === "" ? null : { command, text: words };
}

function faultOf(ack: AckFrame): Fault {
  return ack.error ?? { code: "internal", message: "" };
}
