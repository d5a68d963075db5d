import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { agentsQuery, meQuery } from "../../api/queries";
import { WorkspaceStore } from "../../live/workspace.store";
import { FakeSocket } from "../../testing/fake-socket";
import type { ChatSummary } from "../../wire/types";
import { WorkspaceContext } from "../chats";
import { HomePage } from "./HomePage";

beforeEach(() => {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ agents: [] })));
});

afterEach(() => vi.unstubAllGlobals());

/** The start page, while the list of chats is on its way. */
async function show() {
  let bring: (chats: readonly ChatSummary[]) => void = () => undefined;
  const workspace = new WorkspaceStore({
    url: () => "ws://test",
    list: () => new Promise((resolve) => (bring = resolve)),
    refused: () => undefined,
    connect: (url) => new FakeSocket(url),
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, {
    person: { id: "u_1", name: "siskin" },
    role: "member",
    version: "1",
  });
  client.setQueryData(agentsQuery.queryKey, { agents: [] });
  const root = createRootRoute({ component: HomePage });
  const router = createRouter({ routeTree: root, history: createMemoryHistory({ initialEntries: ["/"] }) });
  render(
    <QueryClientProvider client={client}>
      <WorkspaceContext value={workspace}>
        {/* The routes of this test are not those of the page. */}
        <RouterProvider router={router as never} />
      </WorkspaceContext>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1, name: /siskin/ });
  workspace.open();
  act(() => FakeSocket.last.accept());
  return { bring: (chats: readonly ChatSummary[]) => act(async () => bring(chats)) };
}

it("has no word about what goes on before the chats are known, and then says it", async () => {
  const { bring } = await show();
  expect(screen.queryByText("Nothing is running.")).toBeNull();
  await bring([]);
  expect(screen.getByText("Nothing is running.")).toBeTruthy();
});
