import { defineConfig } from "vitest/config";

const real = process.env["SIGNALBOX_REAL"] === "1";

/** Journeys in a real browser against the real daemon; one at a time, since each is a load of its own. */
export default defineConfig({
  test: {
    include: real ? ["e2e/*.test.ts", "e2e/real/*.test.ts"] : ["e2e/*.test.ts"],
    exclude: ["e2e/budget.test.ts"],
    environment: "node",
    globalSetup: "e2e/build.ts",
    fileParallelism: false,
    setupFiles: "e2e/story.ts",
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
