import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { agentsQuery } from "../../api/queries";
import type { ErrorRow, Run } from "../../live/rows";
import { fakeChat } from "../../testing/fake-chat";
import { FakeSocket } from "../../testing/fake-socket";
import type { CompleteEvent, LoggedEvent, QueuedItem } from "../../wire/types";
import { ChatContext } from "./context";
import { Footer } from "./Footer";
import { EndBlock, ErrorBlock } from "./Trouble";

const t = new Date().toISOString();
const siskin = { id: "u_1", name: "siskin" };

function complete(part: Partial<CompleteEvent>): CompleteEvent {
  return { type: "complete", seq: 3, t, run: "r_1", status: "ok", ms: 1_000, ...part };
}

function run(part: Partial<Run>): Run {
  return { key: "r_1", first: 1, last: 3, count: 3, rows: [], ...part };
}

function error(part: Partial<ErrorRow>): ErrorRow {
  return {
    kind: "error",
    key: "e",
    code: "overloaded",
    message: "Overloaded.",
    retryable: true,
    at: t,
    ...part,
  };
}

const model = (value: string) => ({ value, name: value });
const agents = [
  {
    info: {
      id: "claude",
      name: "Claude Code",
      models: [model("opus"), model("sonnet")],
      efforts: [],
      tiers: [],
      modes: [],
      resume: "claude --resume {session}",
    },
    status: { state: "ready" as const },
  },
];

function draw(children: React.ReactNode) {
  const goOn = vi.fn(() => new Promise<never>(() => undefined));
  const store = fakeChat({ goOn });
  store.open();
  FakeSocket.last.accept();
  const user: LoggedEvent = {
    seq: 1,
    t,
    type: "user",
    run: "r_1",
    text: "go",
    clientId: "k",
    by: siskin,
    agent: "claude",
  };
  act(() =>
    FakeSocket.last.say(
      { type: "connected", chat: "c_1", epoch: 1, lastSeq: 1, running: false, person: siskin, version: "1" },
      user,
    ),
  );
  const client = new QueryClient();
  client.setQueryData(agentsQuery.queryKey, { agents });
  render(
    <QueryClientProvider client={client}>
      <ChatContext value={{ id: "c_1", store }}>{children}</ChatContext>
    </QueryClientProvider>,
  );
  return { goOn, store };
}

beforeEach(() => {
  FakeSocket.all.length = 0;
});

describe("the end of a run", () => {
  it("that was interrupted goes on by one press, once", async () => {
    const { goOn } = draw(<EndBlock run={run({ complete: complete({ status: "interrupted" }) })} open />);
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(screen.getByRole("button", { name: "Continue" })).toBeDisabled();
    expect(goOn).toHaveBeenCalledExactlyOnceWith(undefined);
  });

  it("offers nothing where another prompt has come since", () => {
    draw(<EndBlock run={run({ complete: complete({ status: "interrupted" }) })} open={false} />);
    expect(screen.getByText(/^Interrupted by a server restart/)).toBeVisible();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("by a limit of the vendor goes on at its reset, and says until when", async () => {
    const resetsAt = new Date(Date.now() + 12 * 60_000).toISOString();
    const limited = run({
      complete: complete({ status: "failed", code: "rate_limited" }),
      rows: [error({ code: "rate_limited", message: "The provider's limit is reached.", retryable: false })],
      rateLimit: { type: "rate_limit", seq: 2, t, scope: "five_hour", resetsAt },
    });
    const { goOn, store } = draw(<EndBlock run={limited} open />);
    expect(screen.getByText(/^Rate limited until \d\d:\d\d$/)).toBeVisible();
    expect(screen.getByText(/The provider's limit is reached\./)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: /^Continue at \d\d:\d\d$/ }));
    expect(goOn).toHaveBeenCalledExactlyOnceWith("reset");

    const waits: QueuedItem = { clientId: "k2", text: "", by: siskin, at: t, rev: 1, continues: "r_1" };
    const paused = { reason: "rate_limit", since: t, until: resetsAt };
    act(() => FakeSocket.last.say({ type: "queue", rev: 1, items: [waits], paused }));
    expect(screen.getByText(/Continues by itself in 1[12]m/)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Don't continue" }));
    expect(FakeSocket.last.commands("queue_remove")).toMatchObject([{ clientId: "k2" }]);
    expect(store.store.getState().queue.changes).toHaveLength(1);
  });

  it("by a limit of the person's own says which", () => {
    draw(
      <EndBlock run={run({ complete: complete({ status: "max_iterations", code: "budget_cost" }) })} open />,
    );
    expect(screen.getByText("The run reached its cost limit")).toBeVisible();
    expect(screen.getByRole("button", { name: "Continue" })).toBeEnabled();
  });

  it("names the command that goes on with it in a terminal", async () => {
    const session = { type: "session", seq: 2, t, agent: "claude", sessionId: "abc" } as const;
    const done = complete({});
    draw(<Footer run={run({ session, complete: done })} complete={done} open />);
    await userEvent.click(screen.getByRole("button", { name: /cost unknown/ }));
    expect(screen.getByText("claude --resume abc")).toBeVisible();
    expect(screen.getByRole("button", { name: "Copy the command" })).toBeVisible();
  });
});

describe("an error of the agent", () => {
  it("is tried again, also with another model", async () => {
    const onRetry = vi.fn();
    draw(<ErrorBlock row={error({})} onRetry={onRetry} />);
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(onRetry).toHaveBeenCalledOnce();
    await userEvent.click(screen.getByRole("button", { name: "Change model" }));
    await userEvent.click(await screen.findByRole("radio", { name: /sonnet/ }));
    expect(FakeSocket.last.commands("prompt")).toMatchObject([
      { text: "go", agent: "claude", model: "sonnet" },
    ]);
  });

  it("that needs something to be mended can be tried again after that", async () => {
    const onRetry = vi.fn();
    draw(<ErrorBlock row={error({ retryable: false })} onRetry={onRetry} />);
    const retry = screen.getByRole("button", { name: "Retry" });
    expect(retry).toHaveAttribute("data-look", "plain");
    await userEvent.click(retry);
    expect(onRetry).toHaveBeenCalledOnce();
  });

  it("that is a vendor's limit is told once, at the end of its run", () => {
    draw(<ErrorBlock row={error({ code: "rate_limited" })} />);
    expect(screen.queryByText("Overloaded.")).toBeNull();
  });
});
