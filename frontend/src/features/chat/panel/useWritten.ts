import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { useShallow } from "zustand/react/shallow";
import { useGoOn } from "../../../api/useGoOn";
import { callsQuery } from "../../../api/written";
import { extendThread, type Thread } from "../../../live/thread";
import { writers } from "../../toolcall";
import { useChat } from "../context";
import { pastOf, tells } from "./written.logic";

/** So many events are asked for by themselves; the rest when somebody wants it. */
const most = 3_000;

type Written = {
  /** Runs with what was written in them and nothing else. */
  readonly runs: Thread;
  readonly looking: boolean;
  readonly failed: boolean;
  /** There is more, which nobody has asked for. */
  readonly more: boolean;
  readonly lookOn: () => void;
};

/** What was written in the whole chat: what is held, and what the server tells of what is not. */
export function useWritten(): Written {
  const { id, store } = useChat();
  const [past, setPast] = useState({ epoch: 0, top: 0, unseen: 0 });
  const state = useStore(
    store.store,
    useShallow(({ log, cursor, loaded, unseen }) => ({ log, cursor, loaded, unseen })),
  );
  const now = pastOf(state, past);
  if (now !== past) setPast(now);
  const query = useInfiniteQuery(callsQuery(id, writers, now.epoch, now.top));
  const { data, isFetching, isError, hasNextPage, isPlaceholderData } = query;
  const before = useMemo(() => data?.pages.toReversed().flatMap((page) => page.events) ?? [], [data]);
  // Of what is shown meanwhile, it is not known where it ends.
  const from = isPlaceholderData ? (before.at(-1)?.seq ?? 0) : now.top;
  const { log } = state;
  const since = log.detached ? [] : log.events.filter((event) => event.seq > from && tells(event));
  const last = since.at(-1)?.seq ?? 0;
  const told = useMemo(() => extendThread([], before), [before]);
  const runs = useMemo(
    () => extendThread(told, since),
    // What came since changes with its last event alone.
    // oxlint-disable-next-line react/exhaustive-deps
    [told, from, last],
  );
  const goesOn = useGoOn(query, before.length < most);
  return {
    runs,
    // Before the log is known, nothing is asked for yet.
    looking: now.epoch === 0 || isFetching || goesOn,
    failed: isError,
    more: hasNextPage && !goesOn,
    lookOn: () => void (data === undefined ? query.refetch() : query.fetchNextPage()),
  };
}
