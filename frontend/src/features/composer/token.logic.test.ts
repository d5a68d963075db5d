import { describe, expect, it } from "vitest";
import { filesFor, fitting, pathWords, peopleFor, skillsFor, tokenAt } from "./token.logic";

describe("the word that asks for something", () => {
  it.each([
    ["$|", "$", "", 0, 1],
    ["use $pd|", "$", "pd", 4, 7],
    ["use $p|df now", "$", "p", 4, 8],
    ["(/re|", "/", "re", 1, 4],
    ["a\n@src/ma|", "@", "src/ma", 2, 9],
    ["@日本|", "@", "日本", 0, 3],
  ])("is found in %s", (marked, sign, query, from, to) => {
    const caret = marked.indexOf("|");
    expect(tokenAt(marked.replace("|", ""), caret)).toEqual({ sign, query, from, to });
  });

  it.each([
    "",
    "|",
    "a$b|",
    "mail a@b|",
    "either/or|",
    "/etc/hosts|",
    "$(date)|",
    "$ |",
    "|$pdf",
    `@${"x".repeat(101)}|`,
  ])("is not in %s", (marked) => {
    const caret = Math.max(0, marked.indexOf("|"));
    expect(tokenAt(marked.replace("|", ""), caret)).toBeNull();
  });
});

const skill = (name: string, description = "") => ({ name, description, source: "host" }) as const;

describe("what is offered", () => {
  const list = [skill("api-review"), skill("deploy"), skill("review"), skill("x", "For a Review of code")];

  it("are the skills with the letters, those that begin with them first", () => {
    expect(skillsFor(list, "Re", []).map((s) => s.name)).toEqual(["review", "api-review"]);
    expect(skillsFor(list, "rev", []).map((s) => s.name)).toEqual(["review", "api-review", "x"]);
    expect(skillsFor(list, "", ["deploy"]).map((s) => s.name)).toEqual(["api-review", "review", "x"]);
  });

  it("are the people with a word that begins so", () => {
    expect(peopleFor(["Ann Lee", "Lena", "Bo"], "le")).toEqual(["Ann Lee", "Lena"]);
    expect(peopleFor(["Bo"], "")).toEqual(["Bo"]);
  });

  it("are the files that the letters still mean", () => {
    const files = ["src/list.ts", ".gitignore", "Docs/mail.md"].map((path) => ({ path }));
    const left = (query: string) => filesFor(files, query).map((f) => f.path);
    expect(left("lis")).toEqual(["src/list.ts"]);
    expect(left("./DM")).toEqual(["Docs/mail.md"]);
    expect(left("")).toHaveLength(3);
    expect(left("stsil")).toEqual([]);
  });

  it("has the best match of the files that are known first", () => {
    const files = [".claude/skills", "src/lint/is.ts", "src/tolist.ts", "src/list.ts"].map((path) => ({
      path,
    }));
    expect(filesFor(files, "lis").map((f) => f.path)).toEqual([
      "src/list.ts",
      "src/tolist.ts",
      ".claude/skills",
      "src/lint/is.ts",
    ]);
  });

  it("is a path in quotes where it has spaces", () => {
    expect(pathWords({ path: "src/a.ts" })).toBe("src/a.ts");
    expect(pathWords({ path: "my docs", dir: true })).toBe('"my docs/"');
  });

  it("are of the chosen skills those that the agent has, once that is known", () => {
    expect(fitting(["deploy", "gone"], { skills: list })).toEqual(["deploy"]);
    expect(fitting(["gone"], { skills: list, more: true })).toEqual(["gone"]);
    expect(fitting(["gone"], undefined)).toEqual(["gone"]);
  });
});
