import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Run } from "../../live/rows";
import { fakeChat } from "../../testing/fake-chat";
import type { Outline } from "../../wire/types";
import { ChatContext } from "./context";
import { ItemView } from "./ItemView";
import { stopsOf } from "./track/outline.logic";
import { OutlineContext } from "./track";

const by = { id: "u_1", name: "siskin" };
const at = "2026-11-30T14:00:00.000Z";
const expires = "2026-12-07T14:00:00.000Z";
const rest = { t: at, by, status: "ok" as const };
const cut = {
  epoch: 3,
  last: 50,
  prompts: 2,
  sent: [],
  cause: "rewind" as const,
  at,
  expires,
  restorable: false,
};

const outline: Outline = {
  epoch: 3,
  prompts: [
    { seq: 1, run: "r_1", line: "first", end: 30, ...rest },
    { seq: 51, run: "r_2", line: "second", end: 60, ...rest },
  ],
  cuts: [
    { ...cut, keep: 30, line: "the old way" },
    { ...cut, epoch: 2, keep: 0, last: 0, line: "from the beginning" },
  ],
};

/** The end of a run of which only a later part is held: its prompt is not. */
async function show(run: string) {
  const store = fakeChat();
  const held: Run = { key: run, first: 20, last: 30, count: 11, rows: [] };
  const root = createRootRoute({
    component: () => (
      <>
        <h1>the end</h1>
        <ItemView item={{ kind: "end", key: `${run}:end`, run: held, guess: 0 }} place={{ over: true }} />
      </>
    ),
  });
  const router = createRouter({ routeTree: root, history: createMemoryHistory({ initialEntries: ["/"] }) });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ChatContext value={{ id: "c_1", store }}>
        <OutlineContext value={{ outline, stops: stopsOf(outline, []) }}>
          {/* The routes of this test are not those of the page. */}
          <RouterProvider router={router as never} />
        </OutlineContext>
      </ChatContext>
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { name: "the end" });
}

it("shows where the line parts after an answer also while its prompt is not held", async () => {
  await show("r_1");
  const [junction, ...more] = within(screen.getByRole("list")).getAllByRole("listitem");
  expect(junction).toHaveTextContent("the old way");
  expect(more).toEqual([]);
});

it("shows no junction under a run whose prompt nobody knows", async () => {
  await show("r_9");
  expect(screen.queryByRole("list")).toBeNull();
});
