import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// What is waited for comes when it comes: parts of the page are loaded on demand, on a machine with other work.
configure({ asyncUtilTimeout: 10_000 });

// The document of these tests draws nothing, and so has no word on what can be seen.
Object.defineProperty(Element.prototype, "checkVisibility", { configurable: true, value: () => true });

afterEach(cleanup);
