import type { ChatState } from "../../../live/chat.state";
import { firstSeq } from "../../../live/chat-log";
import type { LoggedEvent } from "../../../wire/types";
import { isWriter } from "../../toolcall";

/** Up to where the past of a chat is asked for; what comes after that is held. */
export type Past = { readonly epoch: number; readonly top: number; readonly unseen: number };

type Held = Pick<ChatState, "log" | "cursor" | "loaded" | "unseen">;

/** The past to ask for now; `past` again as long as what is held continues it. */
export function pastOf({ log, cursor, loaded, unseen }: Held, past: Past): Past {
  if (!loaded || cursor.paging) return past;
  const continued = log.detached
    ? past.unseen === unseen
    : cursor.heard <= past.top || firstSeq(log) <= past.top + 1;
  if (past.epoch === log.epoch && continued) return past;
  return { epoch: log.epoch, top: cursor.heard, unseen };
}

/** Whether an event has a part in what was written. */
export function tells(event: LoggedEvent): boolean {
  switch (event.type) {
    case "tool_use_start":
      return isWriter(event);
    case "tool_use_end":
      return event.name === undefined || isWriter({ name: event.name });
    case "approval":
    case "approval_answered":
    case "run_started":
    case "complete":
      return true;
    default:
      return false;
  }
}
