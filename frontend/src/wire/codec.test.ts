import { describe, expect, it } from "vitest";
import { decodeBatch, encodeCommand, formatPosition, isEvent } from "./codec";

describe("decodeBatch", () => {
  it("takes the lines of a message apart, in order", () => {
    const text = `{"type":"ping","n":1}\n{"seq":4,"t":"2026-01-01T00:00:00.000Z","type":"complete","status":"ok","ms":3}`;
    const [ping, complete] = decodeBatch(text);
    expect(ping).toEqual({ type: "ping", n: 1 });
    expect(complete?.type).toBe("complete");
    expect(complete && isEvent(complete)).toBe(true);
    expect(ping && isEvent(ping)).toBe(false);
  });

  it("keeps line separators that are part of a text", () => {
    const line = JSON.stringify({ type: "system", seq: 1, text: "a\u2028b\u0085c" });
    expect(decodeBatch(line)).toEqual([JSON.parse(line)]);
  });

  it("lets types through that it does not know", () => {
    expect(decodeBatch(`{"type":"of_tomorrow","seq":9}`)).toHaveLength(1);
  });

  it("has nothing for an empty message", () => {
    expect(decodeBatch("")).toEqual([]);
  });

  it.each([`{`, `7`, `null`, `[]`, `{}`, `{"type":7}`])("throws for %s", (text) => {
    expect(() => decodeBatch(text)).toThrow();
  });
});

it("writes positions and commands as the daemon reads them", () => {
  expect(formatPosition({ epoch: 2, seq: 41 })).toBe("2:41");
  expect(encodeCommand({ type: "cancel", id: "k" })).toBe(`{"type":"cancel","id":"k"}`);
});
