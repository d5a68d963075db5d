import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "../../../api/queries";
import type { Run } from "../../../live/rows";
import { fakeChat } from "../../../testing/fake-chat";
import { FakeSocket } from "../../../testing/fake-socket";
import { Toasts } from "../../../ui/Toasts";
import { layerOpen } from "../../../ui/keys";
import { useToasts } from "../../../ui/toast";
import type { Cut, Outline, Role } from "../../../wire/types";
import { ChatContext } from "../context";
import { stopsOf } from "./outline.logic";
import { Stop } from "./Stop";
import { useTrack } from "./track.store";
import { OutlineContext } from "./useOutline";

const by = { id: "u_1", name: "siskin" };
const at = "2026-11-30T14:00:00.000Z";
const prompt = {
  seq: 20,
  clientId: "k_20",
  text: "try it",
  by,
  at,
  selection: { agent: "demo" },
  refs: {},
  attachments: [],
  continues: "",
};
const run: Run = { key: "r_2", first: 20, last: 24, count: 5, rows: [], prompt };

const cut: Cut = {
  epoch: 3,
  keep: 4,
  last: 18,
  prompts: 2,
  line: "the old way",
  sent: [],
  cause: "rewind",
  at,
  expires: "2026-12-07T14:00:00.000Z",
  restorable: false,
};

function outline(cuts: Cut[] = []): Outline {
  const rest = { t: at, by, status: "ok" as const };
  return {
    epoch: 1,
    prompts: [
      { seq: 1, run: "r_1", line: "first", end: 4, ...rest },
      { seq: 20, run: "r_2", line: "try it", end: 24, ...rest },
      { seq: 25, run: "r_3", line: "and then", end: 30, ...rest },
    ],
    cuts,
  };
}

type Answer = { readonly status: number; readonly body: unknown };

function serve(answer: (path: string) => Answer): { readonly path: string; readonly body: unknown }[] {
  const calls: { path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    calls.push({ path, body: typeof init.body === "string" ? JSON.parse(init.body) : null });
    const { status, body } = answer(path);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return calls;
}

async function show({
  role = "member",
  running = false,
  cuts = [] as Cut[],
}: { role?: Role; running?: boolean; cuts?: Cut[] } = {}) {
  const store = fakeChat();
  store.open();
  FakeSocket.last.accept();
  act(() =>
    FakeSocket.last.say(
      { type: "connected", chat: "c_1", epoch: 1, lastSeq: 0, running, person: by, version: "1" },
      { type: "sync", running, phase: running ? "running" : "idle", ...(running ? { run: "r_9" } : {}) },
    ),
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(meQuery.queryKey, { person: by, role, version: "1" });
  const whole = { outline: outline(cuts), stops: stopsOf(outline(cuts), []) };
  const root = createRootRoute();
  const page = (path: string) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: () => <Stop prompt={prompt} run={run} state="done" me="u_1" />,
    });
  const router = createRouter({
    routeTree: root.addChildren([page("/"), page("/chats/$id")]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={client}>
      <ChatContext value={{ id: "c_1", store }}>
        <OutlineContext value={whole}>
          {/* The routes of this test are not those of the page. */}
          <RouterProvider router={router as never} />
          <Toasts />
        </OutlineContext>
      </ChatContext>
    </QueryClientProvider>,
  );
  const station = await screen.findByRole("button", { name: /^Prompt at/ });
  return { store, router, station, user: userEvent.setup() };
}

beforeEach(() => {
  FakeSocket.all.length = 0;
  useTrack.setState({ asking: null, editing: null, marked: null });
  useToasts.setState({ toasts: [] });
});

describe("at a station", () => {
  it("Enter opens what can be done, arrows go through it, and Escape gives the focus back", async () => {
    const { station, user } = await show();
    station.focus();
    await user.keyboard("{Enter}");
    const names = () =>
      screen.getAllByRole("menuitem").map((item) => item.querySelector("span")?.textContent);
    expect(names()).toEqual([
      "Fork after this answer",
      "Rewind to before this prompt",
      "Edit and resend",
      "Copy link",
    ]);
    screen.getByText("A fork leaves 1 prompt out. Rewind: 2 prompts leave.");
    await waitFor(() => expect(screen.getByRole("menuitem", { name: /^Fork/ })).toHaveFocus());
    await user.keyboard("{ArrowUp}");
    expect(screen.getByRole("menuitem", { name: /^Copy/ })).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(station).toHaveFocus();
  });

  it("a list that only shows leaves the keys to the page, and Escape puts it away from anywhere", async () => {
    const { station, user } = await show();
    await user.hover(station);
    await screen.findByRole("menu");
    expect(layerOpen()).toBe(false);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    station.focus();
    await user.keyboard("{Enter}");
    expect(layerOpen()).toBe(true);
  });

  it("F forks after the answer and leads to the fork", async () => {
    const calls = serve(() => ({ status: 200, body: { id: "c_2" } }));
    const { station, router, user } = await show();
    station.focus();
    await user.keyboard("f");
    await waitFor(() => expect(router.state.location.pathname).toBe("/chats/c_2"));
    expect(calls).toEqual([{ path: "/api/chats/c_1/fork", body: { after: 24 } }]);
  });

  it("R asks inside the prompt, with its number, and does nothing before Enter", async () => {
    const calls = serve(() => ({ status: 200, body: { ...cut, restorable: true } }));
    const { station, user } = await show();
    station.focus();
    await user.keyboard("r");
    screen.getByText("2 prompts leave this chat");
    expect(screen.getByRole("button", { name: /^Rewind/ })).toHaveFocus();
    expect(calls).toEqual([]);
    await user.keyboard("{Enter}");
    await screen.findByText("2 prompts left this chat.");
    expect(calls).toEqual([{ path: "/api/chats/c_1/rewind", body: { seq: 20 } }]);
    await user.click(screen.getByRole("button", { name: "Bring back 2 prompts" }));
    await screen.findByText("2 prompts are back.");
    expect(calls[1]).toEqual({ path: "/api/chats/c_1/restore", body: { epoch: 3 } });
  });

  it("what stands in the way is said where it was asked, and the question stays", async () => {
    const problem = {
      code: "busy",
      detail: "A run is going on.",
      hint: "Stop it first.",
      status: 409,
      title: "",
    };
    serve(() => ({ status: 409, body: problem }));
    const { station, user } = await show();
    station.focus();
    await user.keyboard("r{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("A run is going on. Stop it first.");
    screen.getByRole("button", { name: "Fork instead" });
  });

  it("Fork instead leaves the prompt out and keeps its words", async () => {
    const calls = serve(() => ({ status: 200, body: { id: "c_2" } }));
    const { station, user } = await show();
    station.focus();
    await user.keyboard("rf");
    await waitFor(() => expect(calls).toEqual([{ path: "/api/chats/c_1/fork", body: { after: 4 } }]));
  });

  it("E edits in place; sending rewinds first, then sends the new words as the old were sent", async () => {
    const calls = serve(() => ({ status: 200, body: cut }));
    const { station, user } = await show();
    station.focus();
    await user.keyboard("e");
    const field = screen.getByRole("textbox", { name: "Edit the prompt" });
    expect(field).toHaveValue("try it");
    screen.getByText(/1 later prompt leaves with it/);
    await user.clear(field);
    await user.click(screen.getByRole("button", { name: /^Send again/ }));
    expect(calls).toEqual([]);
    await user.type(field, "try it again");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(FakeSocket.last.commands("prompt")).toHaveLength(1));
    expect(calls).toEqual([{ path: "/api/chats/c_1/rewind", body: { seq: 20 } }]);
    expect(FakeSocket.last.commands("prompt")[0]).toMatchObject({ text: "try it again", agent: "demo" });
  });

  it("words that could not be sent again stay where they were written", async () => {
    serve(() => ({ status: 503, body: {} }));
    const { station, user } = await show();
    station.focus();
    await user.keyboard("e");
    await user.type(screen.getByRole("textbox", { name: "Edit the prompt" }), " precious");
    await user.keyboard("{Control>}{Enter}{/Control}");
    await screen.findByRole("alert");
    expect(screen.getByRole("textbox", { name: "Edit the prompt" })).toHaveValue("try it precious");
    expect(FakeSocket.last.commands("prompt")).toHaveLength(0);
  });

  it("while a run goes on, nothing can be taken out, and it is said why", async () => {
    const { station, user } = await show({ running: true });
    station.focus();
    await user.keyboard("r");
    expect(screen.queryByRole("button", { name: /^Rewind$/ })).toBeNull();
    await user.keyboard("{Enter}");
    expect(screen.getByRole("menuitem", { name: /^Rewind/ })).toHaveAttribute("aria-disabled", "true");
    expect(screen.getAllByText("A run is going on")).toHaveLength(2);
  });

  it("who may only read can copy the link and no more", async () => {
    const { station, user } = await show({ role: "viewer" });
    station.focus();
    await user.keyboard("{Enter}");
    expect(screen.getAllByRole("menuitem")).toHaveLength(1);
    screen.getByRole("menuitem", { name: /^Copy link/ });
    expect(screen.queryByRole("button", { name: "Edit and resend" })).toBeNull();
  });

  it("says why an older attempt did not load, and tries again", async () => {
    let there = false;
    serve(() =>
      there
        ? { status: 200, body: { epoch: 3, events: [], hasMore: false, open: [] } }
        : { status: 404, body: { code: "not_found", detail: "Nothing is kept of it." } },
    );
    const { user } = await show({ cuts: [cut] });
    await user.click(screen.getByRole("button", { name: "Version before" }));
    const said = await screen.findByText("Nothing is kept of it.", undefined, { timeout: 10_000 });
    there = true;
    await user.click(within(said).getByRole("button", { name: "Retry" }));
    await waitFor(() => expect(screen.queryByText("Nothing is kept of it.")).toBeNull());
  });

  it("an edited prompt has a pager, and an older attempt says what can be done with it", async () => {
    const old = { run: "r_8", t: at };
    const events = [
      { ...old, seq: 5, type: "user", text: "the old way\nin two lines", clientId: "k_5", by },
      { ...old, seq: 6, type: "assistant_text", item: "a", delta: "Done as it was." },
      { ...old, seq: 7, type: "complete", status: "ok", ms: 1_000 },
    ];
    const page = { epoch: 3, events, hasMore: false, open: [] };
    const calls = serve((path) => ({ status: 200, body: path.includes("/rewound/") ? page : { id: "c_3" } }));
    const { router, user } = await show({ cuts: [cut] });
    screen.getByRole("status", { name: "Version 2 of 2" });
    await user.click(screen.getByRole("button", { name: "Version before" }));
    const attempt = await screen.findByRole("group", { name: /to be read only/ });
    await within(attempt).findByText(/in two lines/);
    await within(attempt).findByText("Done as it was.");
    expect(within(attempt).queryByRole("button", { name: /Retry|Continue|Edit/ })).toBeNull();
    expect(calls.splice(0).map((c) => c.path)).toContain("/api/chats/c_1/rewound/3?after=0");
    await user.click(screen.getByRole("button", { name: "Bring back as a fork" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/chats/c_3"));
    expect(calls).toEqual([{ path: "/api/chats/c_1/fork", body: { cut: 3 } }]);
  });
});
