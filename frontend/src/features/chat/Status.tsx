import { requestsOf } from "../../live/requests";
import { duration } from "../../messages/format";
import { t } from "../../messages/t";
import { needWords } from "./ask";
import { useChatState } from "./context";

const ends = {
  ok: "status.done",
  cancelled: "status.stopped",
  failed: "status.failed",
  interrupted: "status.interrupted",
  max_iterations: "status.failed",
} as const;

/** Says to those who do not see it how the run stands: never the text, which is there to be read. */
export function Status() {
  const running = useChatState((s) => s.sync?.running === true);
  const complete = useChatState((s) => s.thread.at(-1)?.complete);
  const waits = useChatState((s) => {
    const run = s.thread.at(-1);
    const [first] = run === undefined || run.complete !== undefined ? [] : requestsOf(run.rows);
    return first === undefined ? "" : needWords(first);
  });
  const text = running
    ? waits === ""
      ? t("status.running")
      : waits
    : complete === undefined
      ? ""
      : t(ends[complete.status], { time: duration(complete.ms) });
  return (
    <p role="status" className="sr-only">
      {text}
    </p>
  );
}
