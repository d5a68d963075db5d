import { useMemo, useState } from "react";
import type { QuestionState, Run } from "../../../live/rows";
import { t } from "../../../messages/t";
import { useChat, useChatState } from "../context";
import { useMayWrite } from "../useMayWrite";
import { asPrompt, unanswered } from "./late.logic";
import { QuestionCard } from "./QuestionCard";

/** What the last run asked and did not wait for: it can be answered still, by the next prompt. */
export function Late({ run }: { run: Run }) {
  const questions = useMemo(() => unanswered(run), [run]);
  const write = useMayWrite();
  const busy = useChatState((s) => s.sync?.running === true || s.outbox.length > 0);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const question = questions.find((q) => !left.has(q.id));
  if (question === undefined || !write || busy) return null;
  return <One run={run} question={question} onLeave={() => setLeft(new Set(left).add(question.id))} />;
}

type Props = { run: Run; question: QuestionState; onLeave: () => void };

function One({ run, question, onLeave }: Props) {
  const { store } = useChat();
  return (
    <div className="flex flex-col gap-2">
      <p className="text-small text-ink-2">{t("ask.late")}</p>
      <QuestionCard
        key={question.id}
        question={question}
        only
        closed=""
        onAnswer={(answer) => {
          const text = asPrompt(question, answer);
          if (text === "") onLeave();
          else store.send(text, run.prompt?.selection ?? {});
          return true;
        }}
      />
    </div>
  );
}
