import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// What is waited for comes when it comes: parts of the page are loaded on demand, on a machine with other work.
configure({ asyncUtilTimeout: 10_000 });

// The document of these tests draws nothing, and so has no word on what can be seen or how wide it is.
Object.defineProperty(Element.prototype, "checkVisibility", { configurable: true, value: () => true });
Object.defineProperty(globalThis, "matchMedia", {
  configurable: true,
  writable: true,
  value: (media: string) => ({
    media,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }),
});

afterEach(cleanup);
