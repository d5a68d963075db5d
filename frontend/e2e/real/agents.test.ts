import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoggedEvent } from "../../src/wire/types";
import { Client, idOf, type Run } from "../client";
import type { Daemon } from "../daemon";
import { realAgents, startWithRealAgents } from "./agents";
import { Model } from "./model";
import { Tools } from "./tools";

const password = "a long and simple phrase";

let model: Model;
let tools: Tools;
let daemon: Daemon;
let client: Client;

beforeAll(async () => {
  model = await Model.start();
  tools = await Tools.start();
  daemon = await startWithRealAgents(model.url, ["[mcp.tester]", `url = ${JSON.stringify(tools.url)}`]);
  daemon.addUser("siskin", password, "--admin");
  client = await Client.signIn(daemon, "siskin", password);
});

afterAll(async () => {
  await daemon.stop();
  await tools.stop();
  model.stop();
});

const of = <T extends LoggedEvent["type"]>(run: Run, type: T) =>
  run.filter((event): event is Extract<LoggedEvent, { type: T }> => event.type === type);

/** What the agent itself said, without its subagents. */
const said = (run: Run): string =>
  of(run, "assistant_text")
    .filter((event) => event.parentToolId === undefined)
    .map((event) => event.delta ?? event.final ?? "")
    .join("");

const verdict = (run: Run): string => {
  const ends = of(run, "complete");
  expect(ends).toHaveLength(1);
  return ends[0]?.status ?? "none";
};

const processesOf = (chat: string): readonly string[] =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(chat) || (line.includes(daemon.dir) && line.includes("sleep")));

/** What a model API can answer instead of an answer. */
const failures = [
  "error-400",
  "error-401",
  "error-403",
  "error-404",
  "error-429",
  "error-500",
  "error-503",
  "error-529",
  "quota",
  "overflow",
  "mid-error",
  "refusal",
  "tool-then-error",
] as const;

// Each vendor's own program, through the daemon, whole turns long.
describe.each(realAgents)("$name", (agent) => {
  let chat = "";

  const nothing = () => {};
  const prompt = (text: string, mode = "code", seen: (event: LoggedEvent) => void = nothing) =>
    client.prompt(chat, text, { mode }, seen);
  /** Answers every request for leave alike; those that the mode answers first need nobody. */
  const answering = (option: string) => (event: LoggedEvent) => {
    if (event.type !== "approval") return;
    void client.answer(chat, { approvalId: event.approvalId, option }).catch((error: unknown) => {
      if (!String(error).includes("answered without a person")) throw error;
    });
  };

  beforeAll(async () => {
    chat = await client.createChat({ agent: agent.id, mode: "code" });
  });

  it("answers, and counts what that took", async () => {
    const run = await prompt("SCENARIO text");
    expect(verdict(run)).toBe("ok");
    expect(said(run)).not.toBe("");
    expect(of(run, "complete")[0]?.usage?.output).toBeGreaterThan(0);
  });

  it("reasons, edits and runs commands", async () => {
    const thinking = await prompt("SCENARIO thinking");
    expect(of(thinking, "thinking").length).toBeGreaterThan(0);
    const edit = await prompt("SCENARIO edit", "full_auto");
    expect(said(edit)).toContain("I created notes.txt and changed beta to BETA.");
    const shell = await prompt("SCENARIO shell-fail", "full_auto");
    expect(of(shell, "tool_use_end")[0]?.exitCode).toBe(3);
    expect([verdict(thinking), verdict(edit), verdict(shell)]).toEqual(["ok", "ok", "ok"]);
  });

  it("does what it was allowed, and not what it was refused", async () => {
    const refused = await prompt(`SCENARIO ${agent.asks}`, "code", answering("deny"));
    expect(of(refused, "approval_answered").map((event) => event.option)).toContain("deny");
    const allowed = await prompt(`SCENARIO ${agent.asks}`, "code", answering("once"));
    const answers = of(allowed, "approval_answered");
    expect(answers.map((event) => [event.option, event.by?.name])).toContainEqual(["once", "siskin"]);
    expect([verdict(refused), verdict(allowed)]).toEqual(["ok", "ok"]);
  });

  it("is told what people answered", async () => {
    const run = await prompt("SCENARIO ask", agent.questions, (event) => {
      if (event.type !== "question") return;
      const [question] = event.questions;
      const [choice] = question?.options ?? [];
      if (question === undefined || choice === undefined) return;
      void client.answer(chat, {
        questionId: event.questionId,
        answers: { [question.question]: [choice.label] },
      });
    });
    expect(of(run, "question_answered")[0]?.by?.name).toBe("siskin");
    expect(verdict(run)).toBe("ok");
  });

  it("works once its plan was accepted", async () => {
    const run = await prompt("SCENARIO plan", "plan", answering("once"));
    expect(of(run, "approval").map((event) => event.kind)).toContain("plan");
    expect(verdict(run)).toBe("ok");
    const read = (body: unknown) => JSON.stringify(body);
    expect(await client.call("GET", `/api/chats/${chat}`, read)).toContain('"mode":"code"');
  });

  it("stops in the middle of a command, and leaves nothing", async () => {
    const run = await prompt("SCENARIO shell-stuck", "full_auto", (event) => {
      if (event.type === "tool_use_start") void client.cancel(chat);
    });
    expect(verdict(run)).toBe("cancelled");
    expect(processesOf(chat)).toEqual([]);
  });

  it("uses the daemon's MCP servers, and tells a tool that failed", async () => {
    const run = await prompt("SCENARIO mcp", "full_auto");
    const results = of(run, "tool_use_end").map((event) => [event.ok, event.output]);
    expect(results).toHaveLength(2);
    expect(results[0]).toEqual([true, expect.stringContaining("42")]);
    expect(results[1]).toEqual([false, expect.stringContaining("boom")]);
    expect(of(run, "tool_use_start").map((event) => event.server)).toEqual(["tester", "tester"]);
    expect(verdict(run)).toBe("ok");
  });

  it.each(failures)("ends %s with one error in words and a next step", async (failure) => {
    const own = await client.createChat({ agent: agent.id, mode: "full_auto" });
    const run = await client.prompt(own, `SCENARIO ${failure}`, {}, nothing);
    expect(verdict(run)).toBe("failed");
    const errors = of(run, "error");
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(/^[A-Z].*\./s);
    expect(errors[0]?.message).not.toMatch(/\bat \S+:\d+|Traceback|undefined|\[object/);
    expect(errors[0]?.hint ?? "").not.toBe("");
  });

  it("goes on in a fork, and leaves the chat that it came from as it was", async () => {
    const before = await prompt("SCENARIO recall");
    expect(said(before)).toMatch(/shell-stuck/);
    const fork = await client.call("POST", `/api/chats/${chat}/fork`, idOf, {});
    const forked = await client.prompt(fork, "SCENARIO recall forked", { mode: "code" }, nothing);
    expect(verdict(forked)).toBe("ok");
    expect(said(forked)).toMatch(/shell-stuck/);
    const after = await prompt("SCENARIO recall");
    expect(said(after)).not.toContain("forked");
  });

  it("forgets what a rewind took out", async () => {
    const taken = await prompt("SCENARIO text of a secret garden");
    const seq = of(taken, "user")[0]?.seq;
    await client.call("POST", `/api/chats/${chat}/rewind`, () => undefined, { seq });
    const run = await prompt("SCENARIO recall");
    expect(verdict(run)).toBe("ok");
    expect(said(run)).not.toContain("secret garden");
    expect(said(run)).toMatch(/edit/);
  });

  it("goes on after the daemon was killed in the middle of a run", async () => {
    const dying = prompt("SCENARIO slow", "code", (event) => {
      if (event.type === "assistant_text") void daemon.kill();
    });
    await dying.catch(() => undefined); // the connection broke
    await daemon.start();
    client = await Client.signIn(daemon, "siskin", password);
    expect(processesOf(chat)).toEqual([]);
    const read = (body: unknown) => JSON.stringify(body);
    expect(await client.call("GET", `/api/chats/${chat}`, read)).toContain('"verdict":"interrupted"');
    const run = await prompt("SCENARIO recall");
    expect(verdict(run)).toBe("ok");
    expect(said(run)).toMatch(/edit/);
  });
});
