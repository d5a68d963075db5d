import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/http";
import { nextPath, setupOutcome, signInWords } from "./session.logic";

const fault = (code: string, message = "") => new ApiError(400, { code, message }, null);

it.each([
  ["the form", true, "token", null, "form"],
  ["how to get a link", true, "", null, "none"],
  ["that the account exists", false, "token", null, "used"],
  ["that it was used meanwhile", true, "token", fault("conflict"), "used"],
  ["that the link is old", true, "token", fault("forbidden"), "expired"],
  ["the form again after a short password", true, "token", fault("invalid"), "form"],
  ["nothing before the server has answered", undefined, "token", null, "loading"],
] as const)("the set-up page shows %s", (_name, open, token, error, outcome) => {
  expect(setupOutcome(open, token, error)).toBe(outcome);
});

describe("a sign-in that failed", () => {
  it("says why", () => {
    expect(signInWords(null, 0)).toBe("");
    expect(signInWords(fault("unauthorized"), 0)).toBe("The name or the password is wrong.");
    expect(signInWords(fault("rate_limited"), 42_000)).toBe(
      "Too many tries. The next one is possible in 42s.",
    );
    expect(signInWords(fault("rate_limited"), 0)).toBe("You can try again now.");
    expect(signInWords(new ApiError(0, { code: "unavailable", message: "" }, null), 0)).toMatch(
      /does not answer/,
    );
    expect(signInWords(fault("invalid", "No name."), 0)).toBe("No name.");
  });

  it.each([
    ["/chats/c_1", "/chats/c_1"],
    ["//example.org", "/"],
    ["/\\example.org", "/"],
    ["https://example.org", "/"],
    ["javascript:alert(1)", "/"],
    [undefined, "/"],
  ])("leads from %s only to a page of this server: %s", (next, path) => {
    expect(nextPath(next)).toBe(path);
  });
});
