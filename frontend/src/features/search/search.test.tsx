import { render, renderHook, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { SearchHit } from "../../wire/types";
import { chatChoices, dayBorder, folderChoices, piecesOf, saidBy, titled } from "./search.logic";
import { Chips } from "./Filters";
import { Snip } from "./Snip";
import { useGoOn } from "../../api/useGoOn";

const chat = (id: string, title: string) => ({
  id,
  title,
  owner: { id: "u_1", name: "siskin" },
  created: "",
  active: "",
  running: false,
  phase: "idle" as const,
  unread: false,
  selected: {},
  cwd: "",
});

describe("titles", () => {
  it("are found by all of the words, in any order and case", () => {
    const chats = [chat("c_1", "Webhooks sent twice"), chat("c_2", "Index plan")];
    expect(titled(chats, "TWICE web").map((c) => c.id)).toEqual(["c_1"]);
    expect(titled(chats, "twice plan")).toEqual([]);
    expect(titled(chats, "  ")).toEqual([]);
  });
});

describe("what is marked in a title", () => {
  const marked = (title: string, q: string) =>
    piecesOf(title, q).map(({ text, hit }) => (hit ? `[${text}]` : text));

  it.each([
    ["Webhooks sent twice", "webhook", ["[Webhook]", "s sent twice"]],
    ["Webhooks sent twice", "TWICE web", ["[Web]", "hooks sent ", "[twice]"]],
    ["banana", "ana an", ["b", "[anana]"]],
    ["Index plan", "", ["Index plan"]],
    ["", "a", []],
    ["İstanbul map", "map", ["İstanbul map"]],
  ])("%s, looked for by %s", (title, q, pieces) => {
    expect(marked(title, q)).toEqual(pieces);
  });
});

it("the chat that is chosen is among those to choose from, however many there are", () => {
  const chats = Array.from({ length: 300 }, (_, i) => chat(`c_${i}`, ""));
  expect(chatChoices(chats, "").length).toBe(200);
  expect(chatChoices(chats, "c_250").at(-1)?.id).toBe("c_250");
});

describe("a day", () => {
  it("is one of the reader's: from its first moment to its last", () => {
    const from = dayBorder("2026-11-30", "from");
    const to = dayBorder("2026-11-30", "to");
    expect(Date.parse(to ?? "") - Date.parse(from ?? "")).toBe(24 * 60 * 60 * 1000);
    expect(dayBorder("no day", "from")).toBeUndefined();
    expect(dayBorder(undefined, "to")).toBeUndefined();
  });
});

describe("what was found", () => {
  it("is marked in its text, which is text and nothing else", () => {
    render(
      <Snip
        snippet={{
          text: "the <b>ack</b> 🙂 is lost",
          marks: [
            { start: 7, end: 10 },
            { start: 21, end: 25 },
          ],
          before: true,
          after: false,
        }}
      />,
    );
    expect(screen.getAllByRole("mark").map((m) => m.textContent)).toEqual(["ack", "lost"]);
    expect(screen.getByText(/^…/).textContent).toBe("…the <b>ack</b> 🙂 is lost");
  });

  it.each([
    ["user", "Prompt"],
    ["assistant_text", "Answer"],
    ["thinking", "Answer"],
    ["tool_use_end", "Step"],
  ] as const)("says who said it: %s", (type, words) => {
    expect(saidBy({ type } as SearchHit)).toBe(words);
  });
});

it("a search that found nothing yet goes on by itself, and stops at a hit, an error or the end", () => {
  const fetchNextPage = vi.fn(() => Promise.resolve());
  const pages = { hasNextPage: true, isFetching: false, isError: false, fetchNextPage };
  const { result, rerender } = renderHook(({ at, empty }) => useGoOn(at, empty), {
    initialProps: { at: pages, empty: true },
  });
  expect(result.current).toBe(true);
  expect(fetchNextPage).toHaveBeenCalledTimes(1);
  rerender({ at: { ...pages, isFetching: true }, empty: true });
  expect(fetchNextPage).toHaveBeenCalledTimes(1);
  rerender({ at: pages, empty: true });
  expect(fetchNextPage).toHaveBeenCalledTimes(2);
  for (const [at, empty] of [
    [pages, false],
    [{ ...pages, isError: true }, true],
    [{ ...pages, hasNextPage: false }, true],
  ] as const) {
    rerender({ at, empty });
    expect(result.current).toBe(false);
  }
  expect(fetchNextPage).toHaveBeenCalledTimes(2);
});

it("offers the folders that chats share, the last used first, and the chosen one", () => {
  const chats = [
    { id: "c_1", cwd: "/srv/shop" },
    { id: "c_2", cwd: "/data/chats/c_2/work" },
    { id: "c_3", cwd: "/srv/api" },
    { id: "c_4", cwd: "/srv/shop" },
    { id: "c_5", cwd: "" },
  ];
  expect(folderChoices(chats, "")).toEqual(["/srv/shop", "/srv/api"]);
  expect(folderChoices(chats, "/srv/api")).toEqual(["/srv/shop", "/srv/api"]);
  expect(folderChoices([], "/gone")).toEqual(["/gone"]);
});

it("of a folder that is searched in, the end is kept where there is too little room", () => {
  const dir = `/srv/${"deep/".repeat(20)}shop`;
  render(<Chips chosen={{ dir }} agents={[]} chats={[]} onChange={vi.fn<() => void>()} />);
  const chip = screen.getByRole("button", { name: new RegExp(dir) });
  expect(chip).toHaveTextContent(`in ${dir}`);
  expect(screen.getByText(/^[^ ]*\/shop$/)).toHaveClass("flex-none");
});
