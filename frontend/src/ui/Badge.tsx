import { clsx } from "clsx";
import type { ReactNode } from "react";

type Tone = "plain" | "clear" | "caution" | "stop" | "accent";

const tones: Readonly<Record<Tone, string>> = {
  plain: "border-line-2 bg-raised text-ink-2",
  clear: "border-clear-line bg-clear-bg text-clear",
  caution: "border-caution-line bg-caution-bg text-caution",
  stop: "border-stop-line bg-stop-bg text-stop",
  accent: "border-accent-line bg-accent-bg text-accent",
};

/** A word in a box. */
export function Badge({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1 rounded-1 border px-1.5 text-small whitespace-nowrap",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
