import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { meQuery } from "../../api/queries";
import { WorkspaceStore } from "../../live/workspace.store";
import { fakeChat } from "../../testing/fake-chat";
import { FakeSocket } from "../../testing/fake-socket";
import type { Role } from "../../wire/types";
import { WorkspaceContext } from "../chats";
import { Banners } from "./Banners";
import { ChatContext } from "./context";

const by = { id: "u_1", name: "siskin" };
const onSignIn = vi.fn();

beforeEach(() => {
  FakeSocket.all.length = 0;
  onSignIn.mockReset();
});

afterEach(() => vi.useRealTimers());

/** A chat that is open and connected. */
function show(role: Role = "member") {
  const store = fakeChat();
  const workspace = new WorkspaceStore({
    url: () => "ws://list",
    list: () => Promise.resolve([]),
    refused: () => undefined,
    connect: (url) => new FakeSocket(url),
  });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { person: by, role, version: "1" });
  store.open();
  const connect = (version: string) =>
    act(() => {
      FakeSocket.last.accept();
      FakeSocket.last.say(
        { type: "connected", chat: "c_1", epoch: 1, lastSeq: 0, running: false, person: by, version },
        { type: "sync", running: false, phase: "idle" },
      );
    });
  connect("1.0");
  render(
    <QueryClientProvider client={client}>
      <WorkspaceContext value={workspace}>
        <ChatContext value={{ id: "c_1", store }}>
          <Banners onSignIn={onSignIn} />
        </ChatContext>
      </WorkspaceContext>
    </QueryClientProvider>,
  );
  return { store, connect, end: (code: number) => act(() => FakeSocket.last.drop(code)) };
}

const words = () => screen.queryByRole("status")?.textContent ?? "";

it("says nothing while the line is as it should be", () => {
  show();
  expect(words()).toBe("");
});

it("says that the session is over, and leads to the sign-in", async () => {
  const { end } = show();
  end(4500);
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
  expect(onSignIn).toHaveBeenCalledOnce();
});

it("says that the chat may no longer be opened, with no act that could not help", () => {
  const { end } = show();
  end(4501);
  expect(words()).toContain("You can no longer open this chat.");
  expect(screen.queryByRole("button")).toBeNull();
});

it("says that the chat was deleted, and lets it be brought back by who may", () => {
  show().end(4502);
  expect(words()).toContain("This chat was deleted.");
  expect(screen.getByRole("button", { name: "Bring it back" })).toBeTruthy();
});

it("lets a viewer only read what is left of a deleted chat", () => {
  show("viewer").end(4502);
  expect(words()).toContain("This chat was deleted.");
  expect(screen.queryByRole("button")).toBeNull();
});

it("names the reason of an end that it does not know", () => {
  show().end(4503);
  expect(words()).toContain("the reason 4503.");
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
});

it("has patience with a line that was lost, then says so", async () => {
  vi.useFakeTimers();
  const { end } = show();
  end(1006);
  expect(words()).toBe("");
  await act(() => vi.advanceTimersByTimeAsync(2_600));
  expect(words()).toContain("Connection lost.");
  expect(screen.getByRole("button", { name: "Try now" })).toBeTruthy();
});

it("says that the server is another one than the page is for, and leaves Reload to the person", async () => {
  vi.useFakeTimers();
  const { store, end, connect } = show();
  end(1006);
  act(() => store.tryNow());
  connect("2.0");
  expect(words()).toContain("Signalbox 2.0 is running.");
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
});
