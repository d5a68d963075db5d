import { defineConfig } from "vitest/config";

/** A smoke in the engines that are not Chromium; scripts/setup-engines says where they are. */
export default defineConfig({
  test: {
    include: ["e2e/engines/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    setupFiles: "e2e/story.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
