import { beforeEach } from "vitest";

let broken = false;

/**
 * The tests of a file are one story, with one daemon: after one that failed the rest would fail for that
 * alone. So it is left out, and the file can only be tried again as a whole.
 */
beforeEach(({ onTestFailed, skip }) => {
  if (broken) skip("a test before it failed");
  onTestFailed(() => {
    broken = true;
  });
});
