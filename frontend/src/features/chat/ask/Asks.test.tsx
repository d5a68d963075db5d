import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, createEvent, fireEvent, render, screen } from "@testing-library/react";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { meQuery } from "../../../api/queries";
import type { Request } from "../../../live/requests";
import { fakeChat } from "../../../testing/fake-chat";
import { FakeSocket } from "../../../testing/fake-socket";
import { ChatContext } from "../context";
import { Asks } from "./Asks";

/** Tells when what is watched is in view. */
const views = new Set<(shown: boolean) => void>();

class FakeObserver implements IntersectionObserver {
  readonly root = null;
  readonly rootMargin = "";
  readonly scrollMargin = "";
  readonly thresholds = [];
  readonly #tell: (shown: boolean) => void;

  constructor(callback: IntersectionObserverCallback) {
    this.#tell = (isIntersecting) => callback([{ isIntersecting } as IntersectionObserverEntry], this);
  }
  observe(): void {
    views.add(this.#tell);
  }
  unobserve(): void {}
  disconnect(): void {
    views.delete(this.#tell);
  }
  takeRecords(): IntersectionObserverEntry[] {
    return [];
  }
}

function approval(id: string, part: Partial<(Request & { kind: "approval" })["approval"]> = {}): Request {
  const at = "2026-11-30T14:00:00.000Z";
  return {
    kind: "approval",
    id,
    at,
    approval: { id, kind: "command", title: `make ${id}`, paths: [], options: [], refs: {}, at, ...part },
  };
}

function show(requests: readonly Request[], role: "member" | "viewer" = "member") {
  const store = fakeChat();
  store.open();
  FakeSocket.last.accept();
  const client = new QueryClient();
  client.setQueryData(meQuery.queryKey, { person: { id: "u_1", name: "siskin" }, role, version: "1" });
  const draw = (list: readonly Request[]) => (
    <QueryClientProvider client={client}>
      <ChatContext value={{ id: "c_1", store }}>
        <textarea aria-label="Prompt" />
        <Asks requests={list} />
      </ChatContext>
    </QueryClientProvider>
  );
  const { rerender } = render(draw(requests));
  return {
    answers: () => FakeSocket.last.commands("answer"),
    redraw: (list: readonly Request[]) => rerender(draw(list)),
  };
}

const inView = (shown: boolean) => act(() => views.forEach((tell) => tell(shown)));
/** Presses a key now, or at a time that is past: of an event the clock that is faked here tells nothing. */
function press(key: string, on: Element = document.body, at = performance.now()): void {
  const event = createEvent.keyDown(on, { key });
  Object.defineProperty(event, "timeStamp", { value: at });
  fireEvent(on, event);
}

beforeEach(() => {
  vi.stubGlobal("IntersectionObserver", FakeObserver);
  FakeSocket.all.length = 0;
});
afterEach(() => vi.useRealTimers());
afterAll(() => vi.unstubAllGlobals());

describe("a card", () => {
  it("takes keys pressed elsewhere only after it has been in view a moment", () => {
    vi.useFakeTimers();
    const { answers } = show([approval("p1")]);
    press("y");
    inView(true);
    press("y");
    vi.advanceTimersByTime(500);
    press("y");
    expect(answers()).toEqual([]);
    inView(false);
    vi.advanceTimersByTime(1_000);
    press("y");
    expect(answers()).toEqual([]);
    inView(true);
    vi.advanceTimersByTime(600);
    // It was pressed too early, and comes late to a page that is busy.
    press("y", document.body, performance.now() - 100);
    expect(answers()).toEqual([]);
    press("y");
    expect(answers()).toMatchObject([{ approvalId: "p1", option: "once" }]);
  });

  it("never takes a key from a text, one with a modifier, or one that repeats", () => {
    vi.useFakeTimers();
    const { answers } = show([approval("p1")]);
    inView(true);
    vi.advanceTimersByTime(1_000);
    fireEvent.keyDown(screen.getByRole("textbox"), { key: "n" });
    fireEvent.keyDown(document.body, { key: "n", ctrlKey: true });
    fireEvent.keyDown(document.body, { key: "n", repeat: true });
    press("a"); // nothing is offered for the chat
    expect(answers()).toEqual([]);
    press("n");
    expect(answers()).toMatchObject([{ option: "deny" }]);
  });

  it("takes keys only with the focus in it where several wait, and says which this is", () => {
    vi.useFakeTimers();
    const { answers } = show([approval("p1"), approval("p2")]);
    expect(screen.getByText("1 of 2")).toBeVisible();
    inView(true);
    vi.advanceTimersByTime(1_000);
    press("y");
    expect(answers()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Next request" }));
    expect(screen.getByText("make p2")).toBeVisible();
    // It has just taken the place of the other: a key that was on its way was meant for that one.
    press("n", screen.getByRole("alertdialog"));
    expect(answers()).toEqual([]);
    vi.advanceTimersByTime(600);
    press("n", screen.getByRole("alertdialog"));
    expect(answers()).toMatchObject([{ approvalId: "p2", option: "deny" }]);
  });

  it("that leaves the workspace has no filled answer", () => {
    show([approval("p1", { kind: "edit", outside: "/etc/hosts", paths: ["/etc/hosts"] })]);
    expect(screen.getByRole("alertdialog", { name: "Edit outside the folder?" })).toBeVisible();
    expect(screen.getByRole("button", { name: /Allow once/ })).not.toHaveClass("bg-ink");
    expect(screen.getByText("outside the folder")).toBeVisible();
  });

  it("says what a person may not do, and takes no answer", () => {
    const { answers } = show([approval("p1")], "viewer");
    expect(screen.getByText("You can read this chat, but not answer.")).toBeVisible();
    expect(screen.queryByRole("button", { name: /Deny/ })).toBeNull();
    inView(true);
    press("n");
    expect(answers()).toEqual([]);
  });

  it("hands the focus on to the next one", () => {
    const { redraw } = show([approval("p1"), approval("p2")]);
    const button = screen.getByRole("button", { name: /Allow once/ });
    button.focus();
    redraw([approval("p2")]);
    expect(screen.getByRole("alertdialog")).toHaveFocus();
    expect(screen.getByText("make p2")).toBeVisible();
  });
});
