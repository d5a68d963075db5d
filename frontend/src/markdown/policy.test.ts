import { describe, expect, it } from "vitest";
import { safeImage, safeLink } from "./policy";

describe("safeLink", () => {
  it.each(["https://example.org/a?b#c", "http://example.org/", "mailto:a@example.org"])(
    "lets %s through",
    (url) => {
      expect(safeLink(url)).toBe(url);
    },
  );
  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "blob:https://example.org/x",
    "file:///etc/passwd",
    "//example.org/x",
    "/api/logout",
    "chats/1",
    "#x",
    "",
  ])("refuses %j", (url) => {
    expect(safeLink(url)).toBeNull();
  });
});

describe("safeImage", () => {
  const chat = "c_01M8PS6YSQ818RCE2M2JDVAJ0B";
  const sha = "a".repeat(64);
  it.each(["data:image/png;base64,AAAA", `/api/chats/${chat}/blobs/${sha}`])("shows %s", (url) => {
    expect(safeImage(url, chat)).toBe(url);
  });
  it.each([
    "https://example.org/x.png",
    "//example.org/x.png",
    "data:image/svg+xml,<svg/>",
    "data:text/html;base64,AAAA",
    `/api/chats/c_01M8PS6YSQ818RCE2M2JDVAJ0C/blobs/${sha}`,
    `/api/chats/${chat}/blobs/../../../api/logout`,
    "/api/me",
    "",
  ])("does not load %j", (url) => {
    expect(safeImage(url, chat)).toBeNull();
  });
});
