import { ClipboardList, MessageCircleQuestionMark } from "lucide-react";
import { useContext, useId } from "react";
import type { ApprovalStep, QuestionState, QuestionStep } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { useKept } from "../../ui/kept";
import { showBidi } from "./ansi.logic";
import { ApprovalLine } from "./ApprovalLine";
import { StepContext } from "./context";
import { StepHead } from "./StepHead";

const icon = { "aria-hidden": true, size: 14, strokeWidth: 1.75, className: "text-ink-3" } as const;

function outcome(question: QuestionState, over: boolean): string {
  const { answer } = question;
  if (answer === undefined) return t(over ? "approval.expired" : "approval.open");
  if (answer.by === undefined) return answer.reason ?? t("asked.auto");
  return t(answer.declined ? "asked.declined" : "asked.by", { name: answer.by.name });
}

/** What an agent asked, and the answers. */
export function Asked({ step }: { step: QuestionStep }) {
  const { question } = step;
  const { over } = useContext(StepContext);
  const id = useId();
  const [chosen, choose] = useKept(step.key);
  const open = chosen ?? true;
  const { answer } = question;
  const waits = answer === undefined && !over;
  const shown = open && !waits; // while it waits its card shows it
  return (
    <li>
      <StepHead
        icon={waits ? <Glyph signal="needs" size={14} /> : <MessageCircleQuestionMark {...icon} />}
        verb={t("asked.row", { n: question.questions.length })}
        target=""
        open={shown}
        onToggle={() => choose(!open)}
        controls={id}
        time=""
      >
        <span className="flex-none text-small text-ink-2">{outcome(question, over)}</span>
      </StepHead>
      {shown ? (
        <dl
          id={id}
          className="grid grid-cols-[minmax(6rem,1fr)_2fr] gap-x-4 gap-y-1 border-t border-line bg-sunken px-3 py-2 text-ui"
        >
          {question.questions.map((item) => {
            const given = answer?.answers[item.question] ?? [];
            return (
              <div key={item.question} className="contents">
                <dt dir="auto" className="text-ink-2 wrap-anywhere">
                  {showBidi(item.question)}
                </dt>
                <dd dir="auto" className="font-medium wrap-anywhere">
                  {given.length === 0 ? t("unanswered") : showBidi(given.join(", "))}
                </dd>
              </div>
            );
          })}
        </dl>
      ) : null}
    </li>
  );
}

/** A plan that an agent wanted to carry out, and what came of it. While it waits, its card shows it. */
export function PlanStep({ step }: { step: ApprovalStep }) {
  const { approval } = step;
  const { over } = useContext(StepContext);
  const id = useId();
  const [chosen, choose] = useKept(step.key);
  const open = chosen ?? true;
  const waits = approval.answer === undefined && !over;
  const shown = open && !waits;
  return (
    <li>
      <StepHead
        icon={waits ? <Glyph signal="needs" size={14} /> : <ClipboardList {...icon} />}
        verb={t("tool.plan")}
        target=""
        open={shown}
        onToggle={() => choose(!open)}
        controls={id}
        time=""
      />
      <div className="px-3 pb-1.5 ps-8.5">
        <ApprovalLine approval={approval} />
      </div>
      {shown ? (
        <div id={id} className="border-t border-line px-3 py-2 text-body">
          <Markdown text={approval.detail ?? approval.title} />
        </div>
      ) : null}
    </li>
  );
}
