import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { agentsQuery } from "../../api/queries";
import type { Sum } from "../../wire/types";
import { DayChart } from "./DayChart";

const now = new Date(2026, 10, 30, 12).getTime();

function sum(key: string, agents: Record<string, number>): Sum {
  const input = Object.values(agents).reduce((n, tokens) => n + tokens, 0);
  const none = { output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { key, runs: 1, ms: 0, exact: 0, estimated: 0, unknown: 0, started: "", input, ...none, agents };
}

it("says in a table what each agent used on each day, the latest first", () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(agentsQuery.queryKey, { agents: [] });
  const sums = [sum("2026-11-28", { claude: 1_500 }), sum("2026-11-30", { claude: 200, codex: 18_400 })];
  render(
    <QueryClientProvider client={client}>
      <DayChart sums={sums} now={now} days={7} />
    </QueryClientProvider>,
  );
  const table = screen.getByRole("table", { name: "Tokens of the last 7 days by agent" });
  const rows = within(table)
    .getAllByRole("row")
    .map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ["Day", "claude", "codex"],
    ["2026-11-30", "200", "18.4k"],
    ["2026-11-28", "1.5k", "0"],
  ]);
});
