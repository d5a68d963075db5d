import { clsx } from "clsx";
import { RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { Glyph, type Signal } from "./Glyph";

type Tone = "stop" | "caution" | "accent";

const tones: Readonly<Record<Tone, string>> = {
  stop: "border-stop-line bg-stop-bg",
  caution: "border-caution-line bg-caution-bg",
  accent: "border-accent-line bg-accent-bg",
};

type Props = {
  tone: Tone;
  /** The state that it tells of; without one it is news. */
  signal?: Signal;
  title: string;
  body: string;
  /** A count or one act. */
  children?: ReactNode;
  /** Between 0 and 1, drawn along the lower edge. */
  share?: number;
};

/** A line over the thread that says how things stand and offers at most one act. */
export function Banner({ tone, signal, title, body, children, share }: Props) {
  return (
    <div
      role="status"
      className={clsx(
        "relative flex min-h-10 flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-1.5 text-ui",
        tones[tone],
      )}
    >
      {signal === undefined ? (
        <RefreshCw aria-hidden="true" size={14} strokeWidth={1.75} className="text-accent" />
      ) : (
        <Glyph signal={signal} size={14} />
      )}
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">{title}</strong> {body}
      </p>
      {children}
      {share === undefined ? null : (
        <span
          aria-hidden="true"
          className="absolute inset-x-0 -bottom-px h-0.5 origin-left bg-caution-dot"
          style={{ transform: `scaleX(${share})` }}
        />
      )}
    </div>
  );
}
