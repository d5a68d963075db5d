import { expect, it } from "vitest";
import type { Agent, AgentState } from "../../wire/types";
import { demoOnly } from "./home.logic";

const agent = (id: string, state: AgentState): Agent => ({
  info: { id, name: id, demo: id === "demo", models: [], efforts: [], tiers: [], modes: [] },
  status: { state },
});
const demo = agent("demo", "ready");

it.each([
  ["no other can run", [agent("claude", "not_installed"), demo], true],
  ["another can", [agent("claude", "ready"), demo], false],
  ["another is still being looked at", [agent("claude", "unknown"), demo], false],
  ["nothing is known yet", [], false],
])("says that only the demo can answer when that is known: %s", (_name, agents, only) => {
  expect(demoOnly(agents)).toBe(only);
});
