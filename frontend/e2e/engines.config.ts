import { defineConfig } from "vitest/config";

/** A smoke in the engines that are not Chromium; scripts/setup-engines says where they are. */
export default defineConfig({
  test: {
    include: ["e2e/engines/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    // A browser on a busy machine misses its moment now and then; the report says what was tried twice.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
