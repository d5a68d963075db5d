// The few rules of the wire that types alone do not carry.
import type { Command, LoggedEvent, ServerMessage } from "./types";

/** A place in a chat's log. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

/** Writes a position as `since=` and `before=` take it. */
export function formatPosition({ epoch, seq }: Position): string {
  return `${epoch}:${seq}`;
}

/** An event has a place in the log; a frame has none. */
export function isEvent(message: ServerMessage): message is LoggedEvent {
  return "seq" in message;
}

/**
 * Reads one message of a socket: one or more JSON objects, one a line, since
 * what is ready goes out together. Types that this build does not know come
 * through as they are: a `switch` on `type` needs a default that passes them by.
 * A line that is no object with a type throws.
 */
export function decodeBatch(data: string): ServerMessage[] {
  const messages: ServerMessage[] = [];
  for (const line of data.split("\n")) {
    if (line === "") continue;
    const value: unknown = JSON.parse(line);
    if (!isServerMessage(value)) throw new TypeError("a message of the daemon has no type");
    messages.push(value);
  }
  return messages;
}

export function encodeCommand(command: Command): string {
  return JSON.stringify(command);
}

function isServerMessage(value: unknown): value is ServerMessage {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
