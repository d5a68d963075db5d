import { beforeEach, expect, it, vi } from "vitest";
import { FakeSocket } from "../testing/fake-socket";
import type { ChatSummary } from "../wire/types";
import { WorkspaceStore } from "./workspace.store";

function chat(id: string, title: string): ChatSummary {
  const at = "2026-11-30T14:00:00.000Z";
  const owner = { id: "u_1", name: "siskin" };
  return {
    id,
    title,
    owner,
    created: at,
    active: at,
    running: false,
    phase: "idle",
    unread: false,
    selected: {},
    cwd: "",
  };
}

beforeEach(() => {
  FakeSocket.all.length = 0;
});

it("forgets chats that went while the line was lost, and keeps what came since", async () => {
  const list = vi.fn<() => Promise<readonly ChatSummary[]>>();
  const workspace = new WorkspaceStore({
    url: () => "ws://test",
    list,
    refused: () => undefined,
    schedule: (task) => {
      task();
      return () => undefined;
    },
    connect: (url) => new FakeSocket(url),
  });
  workspace.open();
  list.mockResolvedValueOnce([chat("c_1", "one"), chat("c_2", "two")]);
  FakeSocket.last.accept();
  FakeSocket.last.say({ type: "chat", chat: chat("c_1", "one") }, { type: "chat", chat: chat("c_2", "two") });
  await vi.waitFor(() => expect(workspace.store.getState().loaded).toBe(true));

  let answer: (chats: readonly ChatSummary[]) => void = () => undefined;
  list.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  FakeSocket.last.drop();
  workspace.tryNow();
  FakeSocket.last.accept();
  FakeSocket.last.say(
    { type: "chat", chat: chat("c_1", "one, renamed since") },
    { type: "chat", chat: chat("c_3", "new since") },
    { type: "chat_removed", id: "c_4" },
  );
  workspace.put(chat("c_5", "made here since"));
  workspace.drop("c_6");
  answer([chat("c_1", "one"), chat("c_4", "removed since"), chat("c_6", "deleted here since")]);
  await vi.waitFor(() => expect(workspace.store.getState().chats.has("c_2")).toBe(false));
  expect([...workspace.store.getState().chats.values()].map((c) => c.title).toSorted()).toEqual([
    "made here since",
    "new since",
    "one, renamed since",
  ]);
  workspace.close();
});
