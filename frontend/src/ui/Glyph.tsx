import { t } from "../messages/t";

export type Signal = "ready" | "running" | "waiting" | "held" | "needs" | "failed" | "rest";

const names = {
  ready: "signal.ready",
  running: "signal.running",
  waiting: "signal.waiting",
  held: "signal.held",
  needs: "signal.needs",
  failed: "signal.failed",
  rest: "signal.rest",
} as const;

const colours: Readonly<Record<Signal, string>> = {
  ready: "text-clear-dot",
  running: "text-caution-dot",
  waiting: "text-caution-dot",
  held: "text-caution-dot",
  needs: "text-stop-dot",
  failed: "text-stop-dot",
  rest: "text-ink-3",
};

/** One of the seven signals. Its shape says which; the colour only helps. */
export function Glyph({
  signal,
  size = 12,
  name,
}: {
  signal: Signal;
  size?: 11 | 12 | 14 | 18;
  name?: string;
}) {
  return (
    <svg
      role="img"
      aria-label={name ?? t(names[signal])}
      viewBox="0 0 12 12"
      width={size}
      height={size}
      className={`glyph ${colours[signal]}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
    >
      {shape(signal)}
    </svg>
  );
}

function shape(signal: Signal) {
  switch (signal) {
    case "ready":
      return <circle cx="6" cy="6" r="4.5" fill="currentColor" stroke="none" />;
    case "running":
      return (
        <>
          <circle cx="6" cy="6" r="4.75" opacity="0.35" />
          <path className="turns" d="M6 1.25A4.75 4.75 0 0 1 10.75 6" />
          <circle cx="6" cy="6" r="1.9" fill="currentColor" stroke="none" />
        </>
      );
    case "waiting":
      return <circle cx="6" cy="6" r="4.75" strokeDasharray="2.1 1.63" />;
    case "held":
      return (
        <>
          <circle cx="6" cy="6" r="5.5" fill="currentColor" stroke="none" />
          <path d="M4.6 4v4M7.4 4v4" stroke="var(--canvas)" />
        </>
      );
    case "needs":
      return (
        <>
          <circle cx="6" cy="6" r="5.5" fill="currentColor" stroke="none" />
          <path d="M3.5 6h5" stroke="var(--canvas)" />
        </>
      );
    case "failed":
      return (
        <>
          <circle cx="6" cy="6" r="5.5" fill="currentColor" stroke="none" />
          <path d="m4.2 4.2 3.6 3.6m0-3.6L4.2 7.8" stroke="var(--canvas)" />
        </>
      );
    case "rest":
      return <circle cx="6" cy="6" r="3.75" />;
  }
}
