import { beginning } from "../text/characters";

/** What a page and the frame that draws for it say to each other. The frame can do nothing but draw. */

/** To the frame: what to draw. */
export type Draw = {
  readonly type: "draw";
  readonly kind: "mermaid" | "svg";
  readonly source: string;
  readonly dark: boolean;
};

/** From the frame: that it listens, how much room the drawing takes, or why there is none. */
export type Told =
  | { readonly type: "ready" }
  | { readonly type: "size"; readonly height: number }
  | { readonly type: "fault"; readonly why: string };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What a message from the other side says, or null when it is none of these. */
export function toldBy(value: unknown): Told | null {
  if (!isRecord(value)) return null;
  if (value["type"] === "ready") return { type: "ready" };
  if (value["type"] === "size" && typeof value["height"] === "number" && Number.isFinite(value["height"]))
    return { type: "size", height: value["height"] };
  if (value["type"] === "fault" && typeof value["why"] === "string")
    return { type: "fault", why: beginning(value["why"], 300) };
  return null;
}

export function drawOf(value: unknown): Draw | null {
  if (!isRecord(value) || value["type"] !== "draw" || typeof value["source"] !== "string") return null;
  const { kind, source, dark } = value;
  if (kind !== "mermaid" && kind !== "svg") return null;
  return { type: "draw", kind, source, dark: dark === true };
}
