import { clsx } from "clsx";
import { memo, type ReactNode } from "react";
import { t } from "../../messages/t";

type Props = {
  text: string;
  /** Who sent it, as the reader sees it: "You" or a name. */
  by: string;
  own: boolean;
  time: string;
  note?: ReactNode;
  /** What is done with it by a small button that shows when it is pointed at. */
  hand?: ReactNode;
  /** It is asked here whether the prompt is to leave. */
  asking?: boolean;
  /** On a phone its head opens what can be done with it. */
  onHead?: () => void;
  children?: ReactNode;
};

/** What a person sent. */
export const PromptCard = memo(function PromptCard(props: Props) {
  const { text, by, own, time, note, hand, asking, onHead, children } = props;
  const name = t("prompt.of", { name: by });
  const head = (
    <>
      <span className="font-mono text-count">{time}</span>
      <bdi>{by}</bdi>
    </>
  );
  return (
    <article
      aria-label={name}
      data-asking={asking === true}
      className={clsx(
        "prompt-card flex flex-wrap items-baseline gap-x-3",
        asking === true && "border-stop-line",
      )}
    >
      <h2 className="sr-only">{name}</h2>
      {onHead === undefined ? (
        <p className="flex w-full items-baseline gap-2 text-small text-ink-3 sm:hidden">{head}</p>
      ) : (
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={onHead}
          className="prompt-head flex w-full items-center gap-2 text-small text-ink-3 sm:hidden"
        >
          {head}
          <span className="sr-only">{t("prompt.acts")}</span>
        </button>
      )}
      <p
        dir="auto"
        className={clsx("min-w-48 flex-1 text-body wrap-anywhere whitespace-pre-wrap", own && "font-medium")}
      >
        {text}
      </p>
      {note}
      {hand}
      <bdi className="hidden max-w-40 truncate text-small text-ink-3 sm:block">{by}</bdi>
      {children}
    </article>
  );
});
