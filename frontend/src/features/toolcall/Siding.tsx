import { useContext, useMemo } from "react";
import type { ToolStep } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { useKept } from "../../ui/kept";
import { StepContext } from "./context";
import { reportOf } from "./result.logic";

/** So many of the last rows of a subagent show. */
const mostRows = 12;

/** What a subagent did, on a short line of its own, and what it came back with. */
export function Siding({ step }: { step: ToolStep }) {
  const place = useContext(StepContext);
  const [all, setAll] = useKept(`${step.key}:all`);
  const siding = useMemo(() => ({ ...place, siding: true }), [place]);
  const { answer } = reportOf(step);
  const hidden = all === true ? 0 : Math.max(0, step.children.length - mostRows);
  // Where its last words are among its rows they are not said twice.
  const last = step.children.at(-1);
  const said = last?.kind === "answer" && last.text.trim() === answer;
  const rows = said && step.result !== undefined ? step.children.slice(0, -1) : step.children;
  return (
    <div className="bg-sunken py-1 ps-4 pe-1">
      <div className="flex flex-col border-s-2 border-line-3 ps-3">
        {hidden > 0 ? (
          <button
            type="button"
            className="target self-start text-small text-ink-3 hover:text-ink"
            onClick={() => setAll(true)}
          >
            {t("siding.above", { n: hidden })}
          </button>
        ) : null}
        <StepContext value={siding}>{place.drawRows(rows.slice(hidden))}</StepContext>
        {answer === "" ? (
          step.children.length === 0 && step.result === undefined ? (
            <p className="py-1 text-small text-ink-3">{t("output.waiting")}</p>
          ) : null
        ) : (
          <div
            className="flex items-start gap-2 py-1.5 pe-2 text-ui"
            role="group"
            aria-label={t("siding.answer")}
          >
            <span className="flex h-5 items-center">
              <Glyph signal={step.result?.ok === false ? "failed" : "ready"} size={12} />
            </span>
            <div className="min-w-0 flex-1">
              <Markdown text={answer} />
            </div>
          </div>
        )}
      </div>
    </div>
  );
}
