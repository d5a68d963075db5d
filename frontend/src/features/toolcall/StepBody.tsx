import { useContext } from "react";
import type { ToolStep } from "../../live/rows";
import { t } from "../../messages/t";
import { Markdown } from "../../markdown/Markdown";
import { showBidi } from "./ansi.logic";
import { StepContext } from "./context";
import type { Diff } from "./diff.logic";
import { DiffTable } from "./DiffTable";
import { field, listOf, textOf } from "./fields";
import { KeyTable } from "./KeyTable";
import { Output } from "./Output";
import { commandOf, fileOf, outputOf, type ToolKind } from "./toolcall.logic";
import { Whole } from "./Whole";

type Props = { step: ToolStep; kind: ToolKind; diff: Diff | null };

const showAnyway = new Set<ToolKind>(["shell", "agent", "mcp", "other"]);

/** What a step shows when it is open; one that failed shows why. */
export function StepBody({ step, kind, diff }: Props) {
  const { drawRows } = useContext(StepContext);
  const name = fileOf(step.input);
  if (step.result?.ok === false && !showAnyway.has(kind)) return <ResultText step={step} name={name} />;
  switch (kind) {
    case "shell":
      return <Shell step={step} />;
    case "edit":
      return diff === null ? <ResultText step={step} name={name} /> : <DiffTable diff={diff} name={name} />;
    case "write":
      return <Output text={textOf(step.input, "content", "contents")} name={name} head={3} />;
    case "read":
      return <ResultText step={step} name={name} head={20} />;
    case "agent":
      return (
        <div className="bg-sunken py-2 ps-4 pe-3">
          <div className="flex flex-col gap-2 border-s-2 border-line-3 ps-3">{drawRows(step.children)}</div>
          {step.children.length === 0 ? <ResultText step={step} name={name} /> : null}
        </div>
      );
    case "plan":
      return (
        <div className="px-3 py-2 text-body">
          <Markdown text={textOf(step.input, "plan")} />
        </div>
      );
    case "question":
      return <Questions step={step} />;
    case "search":
    case "glob":
    case "web":
      return <ResultText step={step} name={name} head={20} />;
    case "mcp":
    case "other":
      return <Other step={step} />;
  }
}

function ResultText({ step, name, head }: { step: ToolStep; name: string; head?: number }) {
  const { chatId } = useContext(StepContext);
  const output = outputOf(step);
  const body = step.result?.refs["/output"];
  const draw = (text: string | null) =>
    (text ?? output) === "" ? (
      <p className="bg-sunken px-3 py-2 text-small text-ink-3">{t("output.none")}</p>
    ) : (
      <Output
        text={text ?? output}
        name={name}
        wrap={step.result?.ok === false}
        {...(head === undefined ? { tail: 20 } : { head })}
      />
    );
  return body === undefined ? draw(null) : <Whole chatId={chatId} body={body} draw={draw} />;
}

function Shell({ step }: { step: ToolStep }) {
  const { chatId } = useContext(StepContext);
  const command = commandOf(step.input);
  const end = step.result;
  const body = end?.refs["/output"];
  const output = outputOf(step);
  const draw = (text: string | null) => <Output text={text ?? output} name={t("tool.shell")} tail={8} />;
  return (
    <>
      {command.includes("\n") || command.length > 80 ? (
        <pre
          dir="ltr"
          className="border-b border-line px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap"
        >
          {showBidi(command)}
        </pre>
      ) : null}
      {output === "" ? (
        <p className="bg-sunken px-3 py-2 text-small text-ink-3">
          {t(end === undefined ? "output.waiting" : "output.none")}
        </p>
      ) : body === undefined ? (
        draw(null)
      ) : (
        <Whole chatId={chatId} body={body} draw={draw} />
      )}
    </>
  );
}

function Questions({ step }: { step: ToolStep }) {
  const answers = field(step.result?.detail, "answers") ?? field(step.input, "answers");
  const questions = listOf(step.input, "questions");
  if (questions.length === 0) return <Other step={step} />;
  return (
    <dl className="grid grid-cols-[minmax(6rem,1fr)_2fr] gap-x-4 gap-y-1 bg-sunken px-3 py-2 text-ui">
      {questions.map((q, i) => {
        const question = textOf(q, "question");
        const answer = field(answers, question);
        return (
          <div key={i} className="contents">
            <dt className="text-ink-2">{question}</dt>
            <dd className="font-medium">{typeof answer === "string" ? answer : t("unanswered")}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Other({ step }: { step: ToolStep }) {
  const { chatId } = useContext(StepContext);
  const body = step.result?.refs["/output"];
  const output = step.result === undefined && step.live === "" ? null : outputOf(step);
  const draw = (text: string | null) => (
    <KeyTable input={step.input} output={text ?? output} name={step.name} />
  );
  return body === undefined ? draw(null) : <Whole chatId={chatId} body={body} draw={draw} />;
}
