import { decodeBatch } from "../wire/codec";
import type { ServerMessage } from "../wire/types";

/**
 * Reads one socket message. A line that is no message is passed by, and those around it are read: if
 * it was an event, the log that misses it asks for it again.
 */
export function decode(data: string): readonly ServerMessage[] {
  try {
    return decodeBatch(data);
  } catch {
    return data.split("\n").flatMap((line) => {
      try {
        return decodeBatch(line);
      } catch {
        return [];
      }
    });
  }
}
