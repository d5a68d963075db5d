import type { Row, Run, Step, TextRow } from "../../live/rows";
import { stepWords } from "../toolcall";

/** Gives the whole of a text of which only the beginning is at hand. */
export type Whole = (row: TextRow) => Promise<string>;

function isAnswer(row: Row): row is TextRow {
  return row.kind === "answer";
}

/** The answer of a run as it was written: what comes after its last step. */
export async function answerMarkdown(run: Run, whole: Whole): Promise<string> {
  const last = run.rows.findLastIndex((row) => row.kind === "steps");
  const after = run.rows.slice(last + 1).filter(isAnswer);
  const rows = after.length > 0 ? after : run.rows.filter(isAnswer).slice(-1);
  const texts = await Promise.all(rows.map(whole));
  return texts.map((text) => text.trim()).join("\n\n");
}

function quoted(text: string): string {
  return text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** A piece of code in a line, whatever it holds. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const marks = "`".repeat(longest + 1);
  return longest === 0 ? `${marks}${text}${marks}` : `${marks} ${text} ${marks}`;
}

function stepLine(step: Step): string {
  switch (step.kind) {
    case "tool": {
      const { verb, target, result } = stepWords(step);
      return `- ${verb}${target === "" ? "" : ` ${code(target)}`}${result === "" ? "" : ` (${result})`}`;
    }
    case "todo":
      return step.items.map((i) => `- [${i.status === "completed" ? "x" : " "}] ${i.text}`).join("\n");
    case "approval":
      return `- ${step.approval.title}`;
    case "question":
      return step.question.questions
        .map(({ question }) => {
          const given = step.question.answer?.answers[question] ?? [];
          return `- ${question}${given.length === 0 ? "" : ` **${given.join(", ")}**`}`;
        })
        .join("\n");
  }
}

async function rowMarkdown(row: Row, whole: Whole): Promise<string> {
  switch (row.kind) {
    case "answer":
      return (await whole(row)).trim();
    case "steps":
      return row.steps.map(stepLine).join("\n");
    case "notice":
      return `*${row.text}*`;
    case "error":
      return `**${row.message}**`;
    case "reasoning":
      return "";
  }
}

/** A run as Markdown: the prompt quoted, the steps in a line each, the answers as they were written. */
export async function runMarkdown(run: Run, whole: Whole): Promise<string> {
  const rows = await Promise.all(run.rows.map((row) => rowMarkdown(row, whole)));
  const prompt = run.prompt === undefined ? [] : [quoted(run.prompt.text)];
  return `${[...prompt, ...rows.filter((text) => text !== "")].join("\n\n")}\n`;
}
