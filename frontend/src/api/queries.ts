import { queryOptions } from "@tanstack/react-query";
import * as calls from "./calls";
import { settings } from "./settings";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: calls.me,
  staleTime: Infinity,
  retry: false,
});

/** How the daemon is; looked at again every minute. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: calls.health,
  refetchInterval: 60_000,
  retry: false,
});

export const setupQuery = queryOptions({ queryKey: ["setup"], queryFn: calls.setupState, staleTime: 0 });

/**
 * The agents. The daemon looks at each when it starts, and every minute at one that cannot run: somebody may
 * just be installing it.
 */
export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: calls.agents,
  staleTime: 30_000,
  refetchInterval: ({ state: { data } }) => {
    const states = data?.agents.map((agent) => agent.status.state) ?? [];
    if (states.includes("unknown")) return 1_000;
    return states.every((state) => state === "ready") ? false : 60_000;
  },
});

export const chatQuery = (id: string) =>
  queryOptions({ queryKey: ["chat", id], queryFn: () => calls.chat(id), staleTime: Infinity, retry: false });

export const rulesQuery = (id: string) =>
  queryOptions({ queryKey: ["rules", id], queryFn: () => calls.rules(id), staleTime: 0 });

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: settings,
  staleTime: 60_000,
  retry: false,
});
