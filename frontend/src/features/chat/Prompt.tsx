import { memo, type ReactNode } from "react";
import { t } from "../../messages/t";

type Props = {
  text: string;
  /** Who sent it, as the reader sees it: "You" or a name. */
  by: string;
  own: boolean;
  time: string;
  note?: ReactNode;
};

/** What a person sent. */
export const PromptCard = memo(function PromptCard({ text, by, own, time, note }: Props) {
  return (
    <article
      aria-label={t("prompt.of", { name: by })}
      className="flex flex-wrap items-baseline gap-x-3 rounded-3 border border-line-2 bg-raised px-3.5 py-2 shadow-1 sm:flex-nowrap"
    >
      <h2 className="sr-only">{t("prompt.of", { name: by })}</h2>
      <p className="flex w-full items-baseline gap-2 text-small text-ink-3 sm:hidden">
        <span className="font-mono text-count">{time}</span>
        <bdi>{by}</bdi>
      </p>
      <p
        dir="auto"
        className={`min-w-0 flex-1 text-body wrap-anywhere whitespace-pre-wrap ${own ? "font-medium" : ""}`}
      >
        {text}
      </p>
      {note}
      <bdi className="hidden max-w-40 truncate text-small text-ink-3 sm:block">{by}</bdi>
    </article>
  );
});
