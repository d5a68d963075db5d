import { defineConfig } from "vitest/config";

/** Makes the pictures of docs/screens; not a test. */
export default defineConfig({
  test: {
    include: ["e2e/screens/make.ts"],
    environment: "node",
    globalSetup: "e2e/build.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
