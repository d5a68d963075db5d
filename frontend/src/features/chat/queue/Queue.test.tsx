import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createRef } from "react";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeChat } from "../../../testing/fake-chat";
import { FakeSocket } from "../../../testing/fake-socket";
import type { QueuedItem, QueueFrame } from "../../../wire/types";
import { ChatContext } from "../context";
import { Queue, type QueueHandle } from "./Queue";
import { chipAct, noteWords, pauseWords, placeBy } from "./queue.logic";
import { placeBeside } from "./useReorder";

const t = "2026-11-30T14:00:00.000Z";
const siskin = { id: "u_1", name: "siskin" };
const dunlin = { id: "u_2", name: "dunlin" };

function item(clientId: string, part: Partial<QueuedItem> = {}): QueuedItem {
  return { clientId, text: `do ${clientId}`, by: siskin, at: t, rev: 1, ...part };
}

const frame = (rev: number, ...items: readonly QueuedItem[]): QueueFrame => ({
  type: "queue",
  rev,
  items: [...items],
});

function show(first: QueueFrame, fixed = false) {
  const store = fakeChat();
  store.open();
  FakeSocket.last.accept();
  const hear = (next: QueueFrame) => act(() => FakeSocket.last.say(next));
  const connected = { chat: "c_1", epoch: 1, lastSeq: 0, running: true, person: siskin, version: "1" };
  act(() => FakeSocket.last.say({ type: "connected", ...connected }, first));
  const handle = createRef<QueueHandle>();
  render(
    <ChatContext value={{ id: "c_1", store }}>
      <textarea id="composer" aria-label="Prompt" />
      <Queue fixed={fixed} going={[]} handle={handle} />
    </ChatContext>,
  );
  const chips = () =>
    within(screen.getByRole("list", { name: "Queued" }))
      .getAllByRole("button", { name: /^Prompt/ })
      .map((chip) => chip.textContent?.replace(/^Prompt \d of \d:\d/, ""));
  const commands = (type: string) => FakeSocket.last.commands(type);
  return { store, hear, handle, chips, commands };
}

beforeEach(() => {
  FakeSocket.all.length = 0;
});
afterAll(() => vi.unstubAllGlobals());

describe("the queue", () => {
  it("is moved by keys, says where a prompt now is, and leaves it the focus", async () => {
    const { chips, commands } = show(frame(3, item("a"), item("b"), item("c")));
    screen.getByRole("button", { name: /do c/, description: /Alt/ }).focus();
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(commands("queue_move")).toMatchObject([{ clientId: "c", to: 2, rev: 3 }]);
    expect(chips()).toEqual(["do a", "do cSaving", "do b"]);
    expect(screen.getByText("Prompt is now 2 of 3")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: /Prompt 2 of 3:\s*do c/ })).toHaveFocus();
  });

  it("gives the focus on when a prompt is removed, and back to the field after the last", async () => {
    const { hear, commands } = show(frame(1, item("a"), item("b")));
    screen.getByRole("button", { name: /Prompt 1 of 2/ }).focus();
    await userEvent.keyboard("{Delete}");
    expect(commands("queue_remove")).toMatchObject([{ clientId: "a" }]);
    expect(screen.getByRole("button", { name: /Prompt 2 of 2/ })).toHaveFocus();
    hear(frame(2, item("b")));
    await userEvent.click(screen.getByRole("button", { name: "Remove: do b" }));
    expect(screen.getByRole("textbox", { name: "Prompt" })).toHaveFocus();
  });

  it("is edited in place: Enter saves, Esc leaves it, an input method keeps its Enter", async () => {
    const { commands } = show(frame(4, item("a"), item("b")));
    await userEvent.click(screen.getByRole("button", { name: /Prompt 2 of 2/ }));
    const field = screen.getByRole("textbox", { name: "Text of prompt 2" });
    expect(field).toHaveFocus();
    await userEvent.keyboard(" thrown away{Escape}");
    expect(screen.queryByRole("textbox", { name: "Text of prompt 2" })).toBeNull();
    expect(screen.getByRole("button", { name: /Prompt 2 of 2/ })).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    await userEvent.keyboard(" and more{Shift>}{Enter}{/Shift}lines{Enter}");
    expect(commands("queue_edit")).toMatchObject([{ clientId: "b", text: "do b and more\nlines", rev: 4 }]);
  });

  it("saves an edit against what the person saw, not what came meanwhile", async () => {
    const { hear, commands } = show(frame(4, item("a")));
    await userEvent.click(screen.getByRole("button", { name: /Prompt 1 of 1/ }));
    hear(frame(5, item("a", { text: "theirs", by: dunlin, rev: 5 })));
    await userEvent.keyboard("!{Enter}");
    expect(commands("queue_edit")).toMatchObject([{ text: "do a!", rev: 4 }]);
  });

  it("loses no words of a prompt that is sent while it is edited", async () => {
    const { hear, store, commands } = show(frame(4, item("a"), item("b")));
    await userEvent.click(screen.getByRole("button", { name: /Prompt 1 of 2/ }));
    await userEvent.keyboard(" better");
    hear(frame(5, item("b")));
    const [sent] = commands("queue_edit");
    expect(sent).toMatchObject({ clientId: "a", text: "do a better" });
    const error = { code: "not_found", message: "" };
    act(() => FakeSocket.last.say({ type: "ack", id: String(sent?.["id"]), ok: false, error }));
    await waitFor(() =>
      expect(store.store.getState().queue.note).toMatchObject({ kind: "gone", text: "do a better" }),
    );
  });

  it("opens the last prompt on demand, where there is one", () => {
    const { hear, handle } = show(frame(1));
    expect(handle.current?.editLast()).toBe(false);
    hear(frame(2, item("a"), item("b")));
    act(() => {
      expect(handle.current?.editLast()).toBe(true);
    });
    expect(screen.getByRole("textbox", { name: "Text of prompt 2" })).toHaveFocus();
  });

  it("says who sent what another sent, and has nothing to press for those who only read", () => {
    const { handle } = show(
      { ...frame(1, item("a", { by: dunlin })), paused: { reason: "failed", since: t } },
      true,
    );
    expect(screen.getByText("dunlin")).toBeVisible();
    expect(screen.getByText(/The run before it failed\. 1 prompt is kept\./)).toBeVisible();
    expect(screen.queryByRole("button", { name: /Prompt|Remove|Resume/ })).toBeNull();
    expect(handle.current?.editLast()).toBe(false);
  });

  it("that is paused goes on once, and shows that it was told to", async () => {
    const { commands, hear } = show({
      ...frame(1, item("a")),
      paused: { reason: "cancelled", since: t, by: dunlin },
    });
    expect(screen.getByText(/dunlin stopped the run before it/)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Resume" }));
    expect(commands("queue_resume")).toHaveLength(1);
    expect(screen.getByRole("button", { name: "Resuming" })).toBeDisabled();
    hear(frame(2));
    expect(screen.queryByText(/The queue is paused/)).toBeNull();
  });
});

describe("the words of the queue", () => {
  it("say why it rests and until when", () => {
    expect(pauseWords({ reason: "restart", since: t }, 2)).toBe(
      "The server was restarted. 2 prompts are kept.",
    );
    expect(pauseWords({ reason: "never heard of", since: t }, 1)).toMatch(/^It waits for somebody/);
    expect(pauseWords({ reason: "rate_limit", since: t, until: t }, 1)).toMatch(
      /goes on by itself at \d\d:\d\d\.$/,
    );
  });

  it("say of a conflict whose change counted, and of one that has gone that it has", () => {
    const queue = {
      rev: 2,
      items: [item("a", { by: dunlin })],
      paused: null,
      changes: [],
      note: null,
      resume: "",
    };
    const note = {
      kind: "changed",
      clientId: "a",
      text: "",
      fault: { code: "conflict", message: "" },
    } as const;
    expect(noteWords({ ...note, act: "edit" }, queue)).toBe(
      "dunlin changed that prompt meanwhile. Your words are below.",
    );
    expect(noteWords({ ...note, act: "remove" }, queue)).toMatch(/^dunlin .* not removed\.$/);
    expect(noteWords({ ...note, act: "edit" }, { ...queue, items: [] })).toMatch(/already sent or removed/);
  });
});

describe("the keys of a prompt that waits", () => {
  it.each([
    ["Enter", false, "edit"],
    ["F2", false, "edit"],
    ["Delete", false, "remove"],
    ["ArrowUp", true, "earlier"],
    ["ArrowRight", true, "later"],
    ["ArrowUp", false, "none"],
    ["Delete", true, "none"],
    ["x", false, "none"],
  ] as const)("%s, with Alt %s: %s", (key, alt, what) => {
    expect(chipAct(key, alt)).toBe(what);
  });
});

describe("the place of a prompt", () => {
  const rows = ["a", "b", "c"].map((id) => ({ item: item(id), text: id, pending: null }));
  it("by a step stays inside the queue", () => {
    expect([placeBy(rows, "a", -1), placeBy(rows, "a", 1), placeBy(rows, "c", 1)]).toEqual([0, 2, 0]);
  });

  it.each([
    ["c", { id: "a", side: "before" }, 1],
    ["c", { id: "a", side: "after" }, 2],
    ["a", { id: "c", side: "before" }, 2],
    ["a", { id: "c", side: "after" }, 3],
    ["a", { id: "gone", side: "after" }, 0],
  ] as const)("of %s beside %o is %i", (held, over, place) => {
    expect(placeBeside(["a", "b", "c"], held, over)).toBe(place);
  });
});
