import type { ReactNode } from "react";
import type { Snippet } from "../../wire/types";

/** The part of a text in which something was found, with what was found marked. */
export function Snip({ snippet }: { snippet: Snippet }) {
  const { text, marks, before, after } = snippet;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push(
      <mark key={start} className="rounded-1 bg-caution-bg font-semibold text-ink">
        {text.slice(start, end)}
      </mark>,
    );
    at = end;
  }
  parts.push(text.slice(at));
  return (
    <span dir="auto" className="wrap-anywhere">
      {before === true ? "…" : ""}
      {parts}
      {after === true ? "…" : ""}
    </span>
  );
}
