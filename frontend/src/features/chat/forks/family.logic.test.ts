import { describe, expect, it } from "vitest";
import type { ChatSummary, Cut, Origin, Outline } from "../../../wire/types";
import { familyOf, mapOf } from "./family.logic";

const by = { id: "u_1", name: "siskin" };
const at = (minute: number) => `2026-11-30T14:${String(minute).padStart(2, "0")}:00.000Z`;

function chat(id: string, created: number, forkOf?: Origin): ChatSummary {
  return {
    id,
    title: id,
    owner: by,
    created: at(created),
    active: at(created),
    running: false,
    phase: "idle",
    unread: false,
    selected: {},
    cwd: "",
    ...(forkOf === undefined ? {} : { forkOf }),
  };
}

function outline(prompts: readonly (readonly [seq: number, minute: number])[], cuts: Cut[] = []): Outline {
  return {
    epoch: 1,
    prompts: prompts.map(([seq, minute]) => ({ seq, t: at(minute), run: `r_${seq}`, by, line: `p${seq}` })),
    cuts,
  };
}

const main = chat("c_main", 0);
const outbox = chat("c_outbox", 31, { chat: "c_main", seq: 9 });
const queue = chat("c_queue", 52, { chat: "c_outbox", seq: 29 });
const other = chat("c_other", 1);
const chats = new Map([other, queue, main, outbox].map((c) => [c.id, c]));

describe("a family of forks", () => {
  it("is all that were forked from one another, whichever of them is open", () => {
    for (const id of ["c_main", "c_outbox", "c_queue"])
      expect(familyOf(chats, id).map((c) => c.id)).toEqual(["c_main", "c_outbox", "c_queue"]);
    expect(familyOf(chats, "c_other").map((c) => c.id)).toEqual(["c_other"]);
    expect(familyOf(chats, "c_gone")).toEqual([]);
    expect(familyOf(chats, "c_main", 2)).toHaveLength(2);
  });

  it("ends where chats name each other in a circle", () => {
    const a = chat("c_a", 0, { chat: "c_b", seq: 1 });
    const b = chat("c_b", 1, { chat: "c_a", seq: 1 });
    expect(familyOf(new Map([a, b].map((c) => [c.id, c])), "c_a")).toHaveLength(2);
  });
});

describe("the map", () => {
  const cut: Cut = {
    epoch: 2,
    keep: 29,
    last: 35,
    prompts: 2,
    line: "poll",
    sent: [
      { seq: 30, t: at(36), line: "poll" },
      { seq: 33, t: at(38), line: "listen" },
    ],
    cause: "rewind",
    at: at(40),
    expires: at(41),
    restorable: false,
  };
  const members = [
    {
      chat: main,
      outline: outline([
        [1, 1],
        [5, 2],
        [10, 6],
      ]),
    },
    {
      chat: outbox,
      outline: outline(
        [
          [1, 1],
          [5, 2],
          [20, 31],
          [36, 41],
        ],
        [cut],
      ),
    },
    {
      chat: queue,
      outline: outline([
        [1, 1],
        [5, 2],
        [20, 31],
      ]),
    },
  ];
  const map = mapOf(members, "c_outbox");

  it("has each prompt once, those of rewound attempts too, by time, in the lane of the chat in which it was sent", () => {
    expect(map.rows.map((r) => [r.line, r.kind, r.lane])).toEqual([
      ["p1", "prompt", 0],
      ["p5", "prompt", 0],
      ["p10", "prompt", 0],
      ["p20", "prompt", 1],
      ["poll", "cut", 2],
      ["listen", "cut", 2],
      ["p36", "prompt", 1],
      ["", "empty", 3],
    ]);
    expect(map.lanes).toBe(4);
  });

  it("shows the way to where the reader is", () => {
    expect(map.rows.filter((r) => r.own).map((r) => r.line)).toEqual(["p1", "p5", "p20", "p36"]);
    expect(map.rows.filter((r) => r.here).map((r) => r.line)).toEqual(["p36"]);
  });

  it("joins a fork to the prompt after whose answer it left, and an attempt likewise", () => {
    expect(map.edges.map((e) => [e.from, e.to, e.dashed])).toEqual([
      [0, 1, false],
      [1, 2, false],
      [1, 3, false],
      [3, 4, true],
      [4, 5, true],
      [3, 6, false],
      [3, 7, false],
    ]);
    expect(map.rows.map((r) => r.cut?.epoch)).toEqual([...Array(4), 2, ...Array(3)]);
  });

  it("is drawn as far as the outlines are known", () => {
    expect(mapOf([{ chat: main, outline: undefined }], "c_main").rows).toEqual([]);
  });
});
