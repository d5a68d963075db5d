import type { ReactNode } from "react";
import { Glyph } from "../../ui/Glyph";

type Props = {
  /** Held goes on by itself or when somebody wishes so; failed is over. */
  signal?: "failed" | "held";
  title: string;
  body: ReactNode;
  detail?: string;
  children?: ReactNode;
};

/** What happened, what is kept, and one next step. */
export function Block({ signal = "failed", title, body, detail, children }: Props) {
  return (
    <div
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-3 border bg-raised px-3.5 py-3 ${
        signal === "held" ? "border-caution-line" : "border-stop-line"
      }`}
    >
      <span className="flex h-5 items-center">
        <Glyph signal={signal} size={14} />
      </span>
      <div className="min-w-48 flex-1">
        <p className="text-ui font-semibold wrap-anywhere">{title}</p>
        <p className="text-small text-ink-2 wrap-anywhere">{body}</p>
        {detail === undefined ? null : (
          <p className="mt-1 font-mono text-count text-ink-3 wrap-anywhere">{detail}</p>
        )}
      </div>
      {children === undefined ? null : <div className="flex flex-wrap items-center gap-3">{children}</div>}
    </div>
  );
}
