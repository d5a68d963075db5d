import { describe, expect, it } from "vitest";
import type { Agent } from "../../wire/types";
import {
  abilities,
  defaultAgent,
  modelGroups,
  modelValue,
  offeredModes,
  pickedModel,
  refusalWords,
  settle,
  unsendable,
} from "./composer.logic";

function agent(id: string, part: Partial<Agent["status"]> = {}, info: Partial<Agent["info"]> = {}): Agent {
  return {
    info: {
      id,
      name: id,
      models: [
        { value: "small", name: "Small" },
        { value: "large", name: "Large" },
      ],
      efforts: [],
      tiers: [],
      modes: [{ mode: "code", policy: "Edits files" }],
      ...info,
    },
    status: { state: "ready", ...part },
  };
}

const demo = agent("demo", {}, { demo: true });
const claude = agent("claude", {}, { efforts: [{ value: "high", name: "High" }] });
const seen = agent("kimi", { state: "unknown" });
const missing = agent("codex", { state: "not_installed", message: "Codex is not installed." });

describe("the agent of a new chat", () => {
  it.each([
    ["a real one that is ready", [demo, missing, claude], "claude"],
    ["the demo, where no real one is", [missing, demo], "demo"],
    ["a real one that is just being looked at, before the demo", [demo, missing, seen], "kimi"],
    ["a real one that is ready, before that", [seen, demo, claude], "claude"],
    ["one that is not ready, where there is no other", [missing], "codex"],
  ])("is %s", (_name, agents, id) => {
    expect(defaultAgent(agents)?.info.id).toBe(id);
  });

  it("is none where there is none", () => {
    expect(settle([], {}, {})).toMatchObject({ agent: null, mode: "code" });
  });
});

describe("what the next prompt uses", () => {
  const agents = [demo, claude];
  it("is what was chosen, over what the chat used", () => {
    const chosen = settle(agents, { agent: "claude", model: "small", mode: "plan" }, { model: "large" });
    expect(chosen.selection).toEqual({ agent: "claude", model: "large", mode: "plan" });
    expect(chosen.policy).toBeNull();
  });

  it("leaves out what the agent does not have", () => {
    const used = { agent: "claude", model: "gone", effort: "high", tier: "fast" };
    expect(settle(agents, used, {}).selection).toEqual({
      agent: "claude",
      model: "small",
      effort: "high",
      mode: "code",
    });
    expect(settle(agents, used, { agent: "demo" }).selection).toEqual({
      agent: "demo",
      model: "small",
      mode: "code",
    });
    expect(settle(agents, { agent: "vanished", model: "large" }, {}).selection).toEqual({
      agent: "claude",
      model: "small",
      mode: "code",
    });
  });

  it("goes through the picker and back", () => {
    expect(pickedModel(modelValue("claude", "large"))).toEqual({ agent: "claude", model: "large" });
    expect(pickedModel(modelValue("claude", ""))).toEqual({ agent: "claude" });
  });

  it("says of an agent that cannot run, why", () => {
    expect(modelGroups([missing])[0]).toMatchObject({ why: "Codex is not installed.", hint: "" });
    expect(modelGroups([claude])[0]).toMatchObject({ why: "" });
    expect(modelGroups([agent("x", {}, { models: [] })])[0]?.models).toHaveLength(1);
  });

  it("finds models by words of their names and of their agent's", () => {
    const found = (words: string) =>
      modelGroups([demo, claude], words).map((g) => [g.agent.info.id, g.models.map((m) => m.name)]);
    expect(found("LAR")).toEqual([
      ["demo", ["Large"]],
      ["claude", ["Large"]],
    ]);
    expect(found(" claude ")).toEqual([["claude", ["Small", "Large"]]]);
    expect(found("nothing")).toEqual([]);
  });

  it("says of an agent what it can do, and what it cannot", () => {
    const all = agent("x", {}, { images: true, forks: true, rewinds: true });
    expect(abilities(all).map((a) => a.can)).toEqual([true, true, true]);
    expect(abilities(claude).map((a) => a.words)).toEqual([
      "No pictures",
      "Forks begin a new session",
      "Rewinding begins a new session",
    ]);
  });

  it("offers the modes that the agent has, and all before it is known", () => {
    expect(offeredModes(demo.info.modes)).toEqual(["code"]);
    expect(offeredModes([])).toHaveLength(6);
  });
});

describe("a prompt that is not taken", () => {
  it("is told in the server's words where it has some, and always kept", () => {
    expect(refusalWords({ code: "busy", message: "A run is going on.", hint: "Stop it." })).toBe(
      "A run is going on. Stop it. Your text is kept.",
    );
    expect(refusalWords({ code: "unavailable", message: "" })).toMatch(
      /^The server can't take it now\..*Your text is kept\.$/,
    );
    expect(refusalWords({ code: "never heard of", message: "" })).toMatch(
      /^The server did not take this prompt\./,
    );
  });

  it("is told before it is sent when it is too large, in bytes and not in characters", () => {
    expect(unsendable("x".repeat(1024 * 1024))).toBe("");
    expect(unsendable("é".repeat(600_000))).toMatch(/larger than 1 MB/);
  });
});
