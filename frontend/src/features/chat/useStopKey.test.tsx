import { act, createEvent, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useStopKey } from "./useStopKey";

const stop = vi.fn();

function Run({ layer = false }: { layer?: boolean }) {
  const armed = useStopKey(true, stop);
  return (
    <>
      <p>{armed ? "Esc again to stop" : "running"}</p>
      <input
        aria-label="Title"
        onKeyDown={(event) => {
          if (event.key === "Escape") event.preventDefault();
        }}
      />
      {layer ? <div role="dialog" aria-label="over it" /> : null}
    </>
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  stop.mockReset();
});

afterEach(() => vi.useRealTimers());

type Press = KeyboardEventInit & { readonly at?: number; readonly on?: HTMLElement };

function press({ at = 0, on = document.body, ...init }: Press): void {
  const event = createEvent.keyDown(on, { key: "Escape", ...init });
  Object.defineProperty(event, "timeStamp", { value: at });
  fireEvent(on, event);
}

it("stops at the second press within two seconds, and says so after the first", () => {
  render(<Run />);
  press({ at: 1_000 });
  expect(screen.getByText("Esc again to stop")).toBeTruthy();
  expect(stop).not.toHaveBeenCalled();
  press({ at: 2_900 });
  expect(stop).toHaveBeenCalledOnce();
});

it("begins anew when the second press comes later", () => {
  render(<Run />);
  press({ at: 1_000 });
  act(() => void vi.advanceTimersByTime(2_000));
  expect(screen.getByText("running")).toBeTruthy();
  press({ at: 3_100 });
  expect(stop).not.toHaveBeenCalled();
});

it.each([
  ["is held down", { repeat: true }],
  ["belongs to an input method", { isComposing: true }],
  ["ends what an input method writes, as some browsers tell it", { keyCode: 229 }],
] as const)("does not stop for a key that %s", (_what, init) => {
  render(<Run />);
  press({ at: 1_000 });
  press({ at: 1_500, ...init });
  expect(stop).not.toHaveBeenCalled();
});

it("leaves a key alone that closed something, wherever that is", () => {
  render(<Run />);
  for (const at of [1_000, 1_200]) press({ at, on: screen.getByLabelText("Title") });
  expect(screen.getByText("running")).toBeTruthy();
  expect(stop).not.toHaveBeenCalled();
});

it("leaves a key alone while a layer is open, also when that closes on it", () => {
  const { rerender } = render(<Run layer />);
  press({ at: 1_000 });
  rerender(<Run />);
  press({ at: 1_200 });
  expect(stop).not.toHaveBeenCalled();
});
