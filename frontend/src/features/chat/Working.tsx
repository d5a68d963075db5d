import { Suspense, useEffect, useMemo } from "react";
import { requestsOf } from "../../live/requests";
import type { Run } from "../../live/rows";
import { bytes, compact, elapsed } from "../../messages/format";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { useNow } from "../../ui/useNow";
import type { SyncFrame, ToolUseInputFrame } from "../../wire/types";
import { useChatState } from "./context";
import { isRetrying, spentWords } from "./run.logic";
import { roughTokens } from "./thread.logic";
import { fetched } from "../../ui/fetched";

const cards = () => import("./ask/Asks");
const Asks = fetched(() => cards().then((door) => ({ default: door.Asks })));

const words = {
  idle: "working.running",
  starting: "working.starting",
  running: "working.running",
  stopping: "working.stopping",
  held: "working.held",
} as const;

/** A start that takes longer than this is worth a word. */
const slowStart = 8_000;

type Props = { run: Run; sync: SyncFrame; inputs: ReadonlyMap<string, ToolUseInputFrame> };

/** The end of a run that goes on: what it waits for, or what it does. */
export function Working(props: Props) {
  const { rows } = props.run;
  const requests = useMemo(() => requestsOf(rows), [rows]);
  useEffect(() => {
    // A run that goes on may ask, and its card is to be there at once.
    void cards().catch(() => undefined);
  }, []);
  if (requests.length === 0 || props.sync.phase === "stopping") return <Line {...props} />;
  return (
    <Suspense>
      <Asks requests={requests} />
    </Suspense>
  );
}

/** What a run does, for how long, and what it has used. */
function Line({ run, sync, inputs }: Props) {
  const now = useNow(1000);
  const usage = useChatState((s) => (s.usage?.run === run.key ? s.usage.usage : undefined));
  const tokens = useMemo(() => roughTokens(run.rows), [run.rows]);
  const from = run.started?.at ?? run.prompt?.at;
  const writing = [...inputs.values()].at(-1);
  const since = from === undefined ? 0 : now - Date.parse(from);
  const retrying = sync.phase === "running" && isRetrying(run);
  const slow = sync.phase === "starting" && since > slowStart;
  const spent =
    usage !== undefined ? spentWords(usage) : tokens === 0 ? "" : t("tokens.about", { n: compact(tokens) });
  return (
    <p className="flex min-h-7 flex-wrap items-center gap-x-2 text-ui">
      <Glyph signal={sync.phase === "held" || retrying ? "held" : "running"} size={14} />
      <span className="font-medium">{t(retrying ? "working.retrying" : words[sync.phase])}</span>
      <span className="font-mono text-count text-ink-3">
        {[
          from === undefined ? "" : elapsed(since),
          spent,
          writing === undefined ? "" : t("working.input", { tool: writing.name, size: bytes(writing.bytes) }),
        ]
          .filter((part) => part !== "")
          .join(" · ")}
      </span>
      {slow ? <span className="text-small text-ink-3">{t("working.slow")}</span> : null}
    </p>
  );
}
