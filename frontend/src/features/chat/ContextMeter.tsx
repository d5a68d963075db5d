import { compact } from "../../messages/format";
import { t } from "../../messages/t";
import { contextUse, nearLimit } from "./context.logic";
import { useChatState } from "./context";

const radius = 5;
const around = 2 * Math.PI * radius;

/** How full the model's context is, where the agent tells. */
export function ContextMeter() {
  const used = useChatState((s) => contextUse(s.thread, s.usage)?.used ?? 0);
  const max = useChatState((s) => contextUse(s.thread, s.usage)?.max ?? 0);
  if (max === 0) return null;
  const share = Math.min(1, used / max);
  const words = t("context.of", { n: compact(used), max: compact(max) });
  return (
    <span
      role="meter"
      aria-label={t("context")}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(used, max)}
      aria-valuetext={words}
      title={words}
      className={`inline-flex flex-none items-center gap-1 font-mono text-count ${
        nearLimit({ used, max }) ? "text-caution" : "text-ink-3"
      }`}
    >
      <svg aria-hidden="true" viewBox="0 0 14 14" width="14" height="14" fill="none" strokeWidth="2">
        <circle cx="7" cy="7" r={radius} stroke="currentColor" opacity="0.3" />
        <circle
          cx="7"
          cy="7"
          r={radius}
          stroke="currentColor"
          strokeDasharray={`${share * around} ${around}`}
          transform="rotate(-90 7 7)"
        />
      </svg>
      <span className="@max-[34rem]:sr-only">{Math.round(share * 100)} %</span>
    </span>
  );
}
