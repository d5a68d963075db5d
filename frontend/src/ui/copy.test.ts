import { afterEach, expect, it, vi } from "vitest";
import { copyText } from "./copy";

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

/** A page without TLS: what is selected when the old command comes is what would be copied. */
function oldWay(works: boolean): string[] {
  const copied: string[] = [];
  vi.stubGlobal("navigator", {});
  Object.defineProperty(document, "execCommand", {
    configurable: true,
    value: () => {
      const field = document.activeElement;
      if (works && field instanceof HTMLTextAreaElement) copied.push(field.value);
      return works;
    },
  });
  return copied;
}

it("copies by the browser's clipboard where there is one", async () => {
  const writeText = vi.fn(() => Promise.resolve());
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  expect(await copyText("an answer")).toBe(true);
  expect(writeText).toHaveBeenCalledWith("an answer");
});

it("copies without a clipboard, and gives the focus back", async () => {
  const copied = oldWay(true);
  const button = document.createElement("button");
  document.body.append(button);
  button.focus();
  expect(await copyText("an answer\nof two lines")).toBe(true);
  expect(copied).toEqual(["an answer\nof two lines"]);
  expect(document.activeElement).toBe(button);
  expect(document.querySelector("textarea")).toBeNull();
});

it("says when nothing can be copied", async () => {
  oldWay(false);
  expect(await copyText("an answer")).toBe(false);
});
