import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AgentState } from "../../wire/types";
import { AgentSection } from "./AgentSection";

/** What the daemon knows, and what it would find if it looked again. */
let known: AgentState;
let found: AgentState;
let refused: boolean;
const asked: string[] = [];

const answer = (state: AgentState) =>
  Response.json({ agents: [{ info: { id: "claude", name: "Claude Code" }, status: { state } }] });

beforeEach(() => {
  vi.useFakeTimers();
  [known, found, refused] = ["ready", "ready", false];
  asked.length = 0;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    asked.push(`${init.method} ${path}`);
    if (init.method === "GET") return Promise.resolve(answer(known));
    if (refused) return Promise.reject(new Error("no server"));
    known = found;
    return Promise.resolve(answer(found));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show(): Promise<void> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <AgentSection />
    </QueryClientProvider>,
  );
  await pass(10);
}

it("asks again until each agent was looked at, and then no more", async () => {
  known = "unknown";
  await show();
  expect(screen.getByText("Being looked at")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Checking" }).hasAttribute("disabled")).toBe(true);
  known = "ready";
  await pass(1_000);
  expect(screen.getAllByText("Ready").length).toBeGreaterThan(0);
  const so = asked.length;
  await pass(300_000);
  expect(asked.length).toBe(so);
});

it("shows within a minute that an agent was installed", async () => {
  known = "not_installed";
  await show();
  known = "ready";
  await pass(60_000);
  expect(screen.getAllByText("Ready").length).toBeGreaterThan(0);
});

it("has the daemon look again when asked to, and shows what it found", async () => {
  [known, found] = ["not_signed_in", "ready"];
  await show();
  fireEvent.click(screen.getByRole("button", { name: "Check again" }));
  await pass(10);
  expect(asked.at(-1)).toBe("POST /api/agents/check");
  expect(screen.getAllByText("Ready").length).toBeGreaterThan(0);
});

it("says that the daemon could not be asked, and lets it be asked again", async () => {
  [known, refused] = ["broken", true];
  await show();
  fireEvent.click(screen.getByRole("button", { name: "Check again" }));
  await pass(10);
  expect(screen.getByRole("alert").textContent).toContain("Check again");
  expect(screen.getByRole("heading", { name: "Claude Code" })).toBeTruthy();
  refused = false;
  fireEvent.click(screen.getByRole("button", { name: "Check again" }));
  await pass(10);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getAllByText("Ready").length).toBeGreaterThan(0);
});
