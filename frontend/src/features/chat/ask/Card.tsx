import { clsx } from "clsx";
import type { ReactNode, RefObject } from "react";
import { elapsed } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Glyph } from "../../../ui/Glyph";
import { useNow } from "../../../ui/useNow";

type Props = {
  card: RefObject<HTMLElement | null>;
  title: string;
  /** Reaches out of the workspace: the head says so by its colour. */
  risky: boolean;
  since: string;
  /** Which of several this is. */
  place?: ReactNode;
  role: "alertdialog" | "group";
  children: ReactNode;
};

/** The frame of what a run waits for people to answer. */
export function Card({ card, title, risky, since, place, role, children }: Props) {
  const now = useNow(1000);
  return (
    <section
      ref={card}
      role={role}
      data-card
      tabIndex={-1}
      aria-label={title}
      className={clsx(
        "overflow-hidden rounded-3 border bg-raised shadow-2",
        risky ? "border-stop-line" : "border-line-3",
      )}
    >
      <header
        className={clsx(
          "flex min-h-9 flex-wrap items-center gap-x-2 border-b px-3.5 py-1",
          risky ? "border-stop-line bg-stop-bg" : "border-line",
        )}
      >
        <Glyph signal="needs" size={14} />
        <h2 className="min-w-0 flex-1 text-ui font-semibold">{title}</h2>
        {place}
        <span className="text-small text-ink-2">
          <span className="max-sm:sr-only">{t("ask.waiting")}</span>{" "}
          <span className="font-mono text-count">{elapsed(Math.max(0, now - Date.parse(since)))}</span>
        </span>
      </header>
      <div className="flex flex-col gap-3 px-3.5 py-3">{children}</div>
    </section>
  );
}

/** Says in a card why it cannot be answered now. */
export function CardNote({ children }: { children: ReactNode }) {
  return <p className="text-small text-ink-2">{children}</p>;
}
