import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const daemon = process.env["SIGNALBOX_ADDR"] ?? "127.0.0.1:7333";
/** The daemon takes only what comes from its own page. */
const headers = { origin: `http://${daemon}` };

/** Every browser that this page runs in takes the first form of a font: the others are not shipped. */
const oneFontForm: Plugin = {
  name: "one-font-form",
  enforce: "pre",
  transform: (code, id) =>
    /katex.*\.css/.test(id) ? code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, "") : null,
};

export default defineConfig({
  plugins: [oneFontForm, react(), tailwindcss()],
  build: {
    manifest: true,
    // The second page is the sandboxed frame that draws what agents describe.
    rollupOptions: {
      input: ["index.html", "frame.html"],
      output: {
        codeSplitting: {
          // An icon or a small thing that parts share would be a script of its own, with more around it than in it.
          groups: [
            {
              name: "small",
              test: /lucide-react.*icons|node_modules.clsx|src.ui.(?:Badge|useMedia|useKeyIn|fetched)/,
              minShareCount: 3,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
    // The daemon serves what is built under a policy that allows nothing inline but styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // Grammars are fetched one by one, which only a module worker can.
  worker: { format: "es" },
  server: {
    proxy: {
      "/api": { target: `http://${daemon}`, changeOrigin: true, headers },
      "/ws": { target: `ws://${daemon}`, ws: true, changeOrigin: true, headers },
    },
  },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    environment: "jsdom",
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
  },
});
