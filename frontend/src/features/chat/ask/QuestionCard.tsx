import { clsx } from "clsx";
import { Check, CornerDownLeft } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { QuestionState } from "../../../live/rows";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { plainText } from "../../toolcall";
import type { CardProps } from "./ApprovalCard";
import { useAsking } from "./asking.store";
import { answerOf, answersOf, emptyPage, type Page, pick } from "./ask.logic";
import { Card, CardNote } from "./Card";
import { Options } from "./Options";
import { useCardKeys } from "./useCardKeys";

/** What an agent asks, a page for each question. */
export function QuestionCard({
  question,
  only,
  place,
  closed,
  reads = false,
  onAnswer,
}: CardProps & { question: QuestionState }) {
  const card = useRef<HTMLElement>(null);
  const answers = useRef<HTMLDivElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const name = useId();
  const items = question.questions;
  const [at, setAt] = useState(0);
  const [pages, setPages] = useState<readonly Page[]>(() => items.map(() => emptyPage));
  const item = items[at];
  const page = pages[at] ?? emptyPage;
  const open = closed === "";
  const last = at === items.length - 1;
  const show = useAsking((s) => s.show);
  const leave = useAsking((s) => s.leave);
  useEffect(() => {
    if (!reads) show({ question, at, pages });
    else leave(question.id);
  }, [reads, question, at, pages, show, leave]);
  useEffect(() => () => leave(question.id), [question.id, leave]);

  const turn = (to: number) => {
    setAt(to);
    // The page that was left takes its focus with it.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("input")?.focus());
  };
  const finish = (all: readonly Page[]) => {
    const given = answersOf(items, all);
    const answer = Object.keys(given).length === 0 ? { declined: true } : { answers: given };
    onAnswer({ questionId: question.id, ...answer });
  };
  const goOn = (all: readonly Page[]) => (last ? finish(all) : turn(at + 1));
  const change = (next: Page) => setPages(pages.with(at, next));
  const choose = (option: number) => {
    if (item === undefined) return;
    change(pick(item, page, option));
    const input = form.current?.querySelectorAll<HTMLInputElement>("input[data-option]")[option];
    input?.focus();
  };
  useCardKeys({
    card,
    answers,
    only,
    active: open,
    onKey: (key, inside) => {
      if (/^[1-9]$/.test(key)) {
        if (item === undefined || Number(key) > item.options.length + 1) return false;
        choose(Number(key) - 1);
        return true;
      }
      if (key === "ArrowLeft" && inside && at > 0) {
        turn(at - 1);
        return true;
      }
      return false;
    },
  });
  if (item === undefined) return null;
  const chosen = answerOf(item, page);
  const title =
    items.length === 1 ? t("ask.question") : t("ask.question.of", { n: at + 1, all: items.length });

  return (
    <Card
      card={card}
      title={title}
      risky={false}
      since={question.at}
      role="group"
      place={
        <>
          {place}
          {items.length === 1 ? null : <Dots at={at} all={items.length} />}
        </>
      }
    >
      <Earlier items={items.slice(0, at)} pages={pages} onChange={turn} />
      <form
        ref={form}
        aria-label={title}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (open && chosen.length > 0) goOn(pages);
        }}
      >
        <Options
          item={item}
          page={page}
          name={`${name}-${at}`}
          disabled={!open}
          onPick={choose}
          onChange={change}
        />
        {open ? null : <CardNote>{closed}</CardNote>}
        <div ref={answers} hidden={reads} className="flex flex-wrap items-center gap-3">
          {at === 0 ? (
            <Button
              look="ghost"
              disabled={!open}
              onClick={() => onAnswer({ questionId: question.id, declined: true })}
            >
              {t("ask.decline")}
            </Button>
          ) : (
            <Button look="ghost" onClick={() => turn(at - 1)}>
              {t("ask.back")}{" "}
              <kbd aria-hidden="true" className="hidden font-mono text-count sm:inline">
                ←
              </kbd>
            </Button>
          )}
          <span className="flex-1" />
          <span className="text-small text-ink-2 max-sm:hidden">
            {chosen.length > 0 && item.multiSelect === true
              ? t("ask.chosen", { n: chosen.length })
              : item.options.length === 0
                ? ""
                : t("ask.keys", { n: Math.min(9, item.options.length + 1) })}
          </span>
          <Button
            look="ghost"
            disabled={!open}
            onClick={() => {
              const skipped = pages.with(at, emptyPage);
              setPages(skipped);
              goOn(skipped);
            }}
          >
            {t("ask.skip")}
          </Button>
          <Button look="primary" type="submit" disabled={!open} aria-disabled={chosen.length === 0}>
            {t(last ? "ask.answer" : "ask.next")}
            <CornerDownLeft aria-hidden="true" size={12} className="max-sm:hidden" />
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Where among the pages this is; the title says it in words. */
function Dots({ at, all }: { at: number; all: number }) {
  return (
    <span aria-hidden="true" className="flex gap-1">
      {Array.from({ length: all }, (_, i) => (
        <span
          key={i}
          className={clsx(
            "h-1 w-5 rounded-full",
            i === at ? "bg-stop-dot" : i < at ? "bg-ink-3" : "bg-line-2",
          )}
        />
      ))}
    </span>
  );
}

type EarlierProps = {
  items: QuestionState["questions"];
  pages: readonly Page[];
  onChange: (page: number) => void;
};

/** What was answered on the pages before, and the way back to it. */
function Earlier({ items, pages, onChange }: EarlierProps) {
  if (items.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1">
      {items.map((item, i) => {
        const answer = answerOf(item, pages[i] ?? emptyPage);
        return (
          <li key={item.question} className="flex items-baseline gap-2 text-small">
            <Check aria-hidden="true" size={12} className="flex-none text-clear" />
            <span dir="auto" className="min-w-0 flex-1 wrap-anywhere">
              <span className="text-ink-2">{plainText(item.question)}</span>{" "}
              <span className="font-medium">
                {answer.length === 0 ? t("ask.skipped") : plainText(answer.join(", "))}
              </span>
            </span>
            <button type="button" onClick={() => onChange(i)} className="target flex-none px-1 text-accent">
              {t("ask.change")}
              <span className="sr-only">: {plainText(item.question)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
