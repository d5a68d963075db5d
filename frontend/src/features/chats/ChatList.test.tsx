import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "../../api/queries";
import { WorkspaceStore } from "../../live/workspace.store";
import { Toasts } from "../../ui/Toasts";
import { useToasts } from "../../ui/toast";
import type { ChatSummary, Role } from "../../wire/types";
import { ChatList } from "./ChatList";
import { WorkspaceContext } from "./context";

function chat(id: string, part: Partial<ChatSummary> = {}): ChatSummary {
  return {
    id,
    title: id,
    owner: { id: "u_1", name: "siskin" },
    created: "2026-11-30T14:00:00.000Z",
    active: "2026-11-30T14:00:00.000Z",
    running: false,
    phase: "idle",
    unread: false,
    selected: {},
    cwd: "",
    ...part,
  };
}

type Call = { readonly method: string; readonly path: string; readonly body: unknown };

/** A server that answers each call with what `answer` says. */
function serve(answer: (call: Call) => unknown): readonly Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : null;
    const call = { method: init.method ?? "GET", path, body };
    calls.push(call);
    const value = answer(call);
    return Promise.resolve(
      value instanceof Error
        ? new Response(JSON.stringify({ code: "busy", detail: value.message, status: 409, title: "" }), {
            status: 409,
          })
        : new Response(JSON.stringify(value)),
    );
  });
  return calls;
}

async function show(chats: readonly ChatSummary[], role: Role = "member") {
  const workspace = new WorkspaceStore({
    url: () => "",
    list: () => Promise.resolve([]),
    refused: () => undefined,
  });
  chats.forEach((one) => workspace.put(one));
  const client = new QueryClient();
  client.setQueryData(meQuery.queryKey, { person: { id: "u_1", name: "siskin" }, role, version: "1" });
  const root = createRootRoute();
  const page = (path: string) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: () => <ChatList onVisit={() => undefined} />,
    });
  const router = createRouter({
    routeTree: root.addChildren([page("/"), page("/chats"), page("/chats/$id")]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <WorkspaceContext value={workspace}>
        {/* The routes of this test are not those of the page. */}
        <RouterProvider router={router as never} />
        <Toasts />
      </WorkspaceContext>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { name: "Chats" });
  return { workspace, user: userEvent.setup() };
}

beforeEach(() => {
  useToasts.setState({ toasts: [] });
});

describe("the list of chats", () => {
  it("says that there are none, and that none is unread", async () => {
    const { user } = await show([chat("c_1")]);
    await user.click(screen.getByRole("button", { name: "Unread only" }));
    expect(screen.queryByRole("link", { name: /c_1/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Unread only" })).toHaveAttribute("aria-pressed", "true");
  });

  it("renames by F2, keeps the name on Escape, and gives the focus back", async () => {
    const calls = serve(({ body }) => chat("c_1", { title: (body as { title: string }).title }));
    const { user } = await show([chat("c_1", { title: "Old" })]);
    screen.getByRole("link", { name: /Old/ }).focus();
    await user.keyboard("{F2}");
    await user.keyboard("Not this{Escape}");
    expect(calls).toEqual([]);
    await waitFor(() => expect(screen.getByRole("link", { name: /Old/ })).toHaveFocus());
    await user.keyboard("{F2}");
    await user.clear(screen.getByRole("textbox", { name: "Title of the chat" }));
    await user.keyboard("New{Enter}");
    await screen.findByRole("link", { name: /New/ });
    expect(calls).toEqual([{ method: "PATCH", path: "/api/chats/c_1", body: { title: "New" } }]);
  });

  it("deletes by Delete and brings back by Undo", async () => {
    const calls = serve(() => chat("c_1", { title: "Precious" }));
    const { user } = await show([chat("c_1", { title: "Precious" })]);
    screen.getByRole("link", { name: /Precious/ }).focus();
    await user.keyboard("{Delete}");
    await screen.findByText("“Precious” deleted.");
    expect(screen.queryByRole("link", { name: /Precious/ })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await screen.findByRole("link", { name: /Precious/ });
    expect(calls.map((c) => `${c.method} ${c.path}`)).toEqual([
      "DELETE /api/chats/c_1",
      "POST /api/trash/c_1/restore",
    ]);
  });

  it("says why something was not done, and leaves the list as it was", async () => {
    serve(() => new Error("A run cannot be stopped."));
    const { user } = await show([chat("c_1", { title: "Precious" })]);
    screen.getByRole("link", { name: /Precious/ }).focus();
    await user.keyboard("{Delete}");
    await screen.findByText("A run cannot be stopped.");
    screen.getByRole("link", { name: /Precious/ });
  });

  it("opens a menu that does what its words say", async () => {
    const calls = serve(() => chat("c_1", { pinned: true }));
    const { user } = await show([chat("c_1")]);
    await user.click(screen.getByRole("button", { name: "Menu: c_1" }));
    await user.click(await screen.findByRole("menuitem", { name: "Pin" }));
    const pinned = await screen.findByRole("list", { name: "Pinned" });
    within(pinned).getByRole("link", { name: /c_1/ });
    expect(calls[0]?.body).toEqual({ pinned: true });
  });

  it("offers to somebody who may only read what is theirs alone", async () => {
    const calls = serve(() => chat("c_1"));
    const { user } = await show([chat("c_1")], "viewer");
    screen.getByRole("link", { name: /c_1/ }).focus();
    await user.keyboard("{F2}{Delete}");
    expect(calls).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Menu: c_1" }));
    await screen.findByRole("menuitem", { name: "Pin" });
    expect(screen.getAllByRole("menuitem").map((item) => item.textContent)).toEqual([
      "Pin",
      "Mark as unread",
    ]);
  });
});
