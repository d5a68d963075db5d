import { useContext } from "react";
import type { ToolStep } from "../../live/rows";
import { Markdown } from "../../markdown/Markdown";
import { t } from "../../messages/t";
import { StepContext } from "./context";
import type { Diff } from "./diff.logic";
import { DiffTable } from "./DiffTable";
import { field, listOf, textOf } from "./fields";
import { Fetched, Listed, Matched, Searched } from "./Found";
import { contentOf, fileOf, oneLine } from "./input.logic";
import { CodeLines } from "./CodeLines";
import { KeyTable } from "./KeyTable";
import type { ToolKind } from "./kinds";
import { languageOf } from "./language";
import { excerptOf, outputOf, pictureOf, planOf } from "./result.logic";
import { ResultText } from "./ResultText";
import { Shell } from "./Shell";
import { Siding } from "./Siding";
import { Whole } from "./Whole";

type Props = { step: ToolStep; kind: ToolKind; diff: Diff | null };

const showAnyway = new Set<ToolKind>(["shell", "agent", "mcp", "other"]);

/** What a step shows when it is open; one that failed shows why. */
export function StepBody({ step, kind, diff }: Props) {
  const name = fileOf(step.input);
  if (step.result?.ok === false && !showAnyway.has(kind)) return <ResultText step={step} name={name} />;
  switch (kind) {
    case "shell":
      return <Shell step={step} />;
    case "edit":
      return diff === null ? (
        <ResultText step={step} name={name} />
      ) : (
        <DiffTable id={step.key} diff={diff} name={name} />
      );
    case "write":
      return (
        <CodeLines
          id={step.key}
          text={contentOf(step.input)}
          name={name}
          language={languageOf(name)}
          head={3}
        />
      );
    case "read":
      return <Excerpt step={step} name={name} />;
    case "agent":
      return <Siding step={step} />;
    case "plan":
      return (
        <div className="px-3 py-2 text-body">
          <Markdown text={planOf(step)} />
        </div>
      );
    case "question":
      return <Questions step={step} />;
    case "search":
      return <Matched step={step} />;
    case "glob":
      return <Listed step={step} />;
    case "fetch":
      return <Fetched step={step} />;
    case "websearch":
      return <Searched step={step} />;
    case "list":
    case "mcp":
    case "other":
      return <Other step={step} />;
  }
}

/** A read shows the file; of one too long for the log only the beginning is known until all is asked for. */
function Excerpt({ step, name }: { step: ToolStep; name: string }) {
  const { text, from } = excerptOf(step);
  const cut = step.result?.refs["/output"] !== undefined;
  if (text === "" || cut || pictureOf(step) !== null) return <ResultText step={step} name={name} head={20} />;
  return (
    <CodeLines id={step.key} text={text} name={name} language={languageOf(name)} from={from} head={20} />
  );
}

function Questions({ step }: { step: ToolStep }) {
  const answers = field(step.result?.detail, "answers") ?? field(step.input, "answers");
  const questions = listOf(step.input, "questions");
  if (questions.length === 0) return <Other step={step} />;
  return (
    <dl className="grid grid-cols-[minmax(6rem,1fr)_2fr] gap-x-4 gap-y-1 bg-sunken px-3 py-2 text-ui">
      {questions.slice(0, 50).map((q, i) => {
        const question = textOf(q, "question");
        const answer = field(answers, question);
        return (
          <div key={i} className="contents">
            <dt dir="auto" className="text-ink-2 wrap-anywhere">
              {oneLine(question)}
            </dt>
            <dd dir="auto" className="font-medium wrap-anywhere">
              {typeof answer === "string" ? oneLine(answer) : t("unanswered")}
            </dd>
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
    <KeyTable id={step.key} input={step.input} output={text ?? output} name={step.name} />
  );
  return body === undefined ? draw(null) : <Whole chatId={chatId} body={body} draw={draw} />;
}
