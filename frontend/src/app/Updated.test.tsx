import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fetched, onMissed, useMissed } from "../ui/fetched";
import { Updated } from "./Updated";

let up: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  up = true;
  useMissed.setState({ missed: false });
  vi.stubGlobal("fetch", () =>
    up ? Promise.resolve(Response.json({ status: "ok", version: "2.0" })) : Promise.reject(new Error("gone")),
  );
  window.addEventListener("vite:preloadError", onMissed);
});

afterEach(() => {
  window.removeEventListener("vite:preloadError", onMissed);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A part whose file the server has no longer: told as the page's loader tells it. */
const gone = () =>
  fetched((): Promise<{ default: () => null }> => {
    window.dispatchEvent(new Event("vite:preloadError"));
    return Promise.reject(new Error("no such file"));
  });

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show(lacks: boolean) {
  const Gone = gone();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Updated />
      <textarea aria-label="Prompt" defaultValue="half a sen" />
      <Suspense fallback={null}>{lacks ? <Gone /> : null}</Suspense>
    </QueryClientProvider>,
  );
  await pass(10);
}

it("says nothing while every part comes", async () => {
  await show(false);
  expect(screen.queryByRole("status")).toBeNull();
});

it("offers to load the page anew where a part is gone, and leaves what is written alone", async () => {
  await show(true);
  expect(screen.getByRole("status")).toHaveTextContent("A part of this page did not load");
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
  expect(screen.getByLabelText("Prompt")).toHaveValue("half a sen");
});

it("offers it only once there is a server again", async () => {
  up = false;
  await show(true);
  await pass(10_000);
  expect(screen.queryByRole("button")).toBeNull();
  up = true;
  await pass(4_000);
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
});
