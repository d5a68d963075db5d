import { useContext } from "react";
import type { ToolStep } from "../../live/rows";
import { t } from "../../messages/t";
import { shortened } from "../../text/characters";
import { showBidi } from "./ansi.logic";
import { StepContext } from "./context";
import { commandOf } from "./input.logic";
import { Output } from "./Output";
import { outputOf } from "./result.logic";
import { Whole } from "./Whole";

/** So many of the last lines show, while a command runs and after. */
export const shellTail = 8;
/** A longer command does not fit its row, and is shown whole. */
const rowful = 80;
const mostCommand = 20_000;

/** A command that its row cut off, and what it wrote: the last lines first. */
export function Shell({ step }: { step: ToolStep }) {
  const { chatId } = useContext(StepContext);
  const command = commandOf(step.input);
  const end = step.result;
  const body = end?.refs["/output"];
  const output = outputOf(step);
  const draw = (text: string | null) => (
    <Output id={step.key} text={text ?? output} name={t("tool.shell")} tail={shellTail} />
  );
  return (
    <>
      {command.includes("\n") || command.length > rowful ? (
        // A long command scrolls, and the keyboard must reach it.
        <pre
          tabIndex={0}
          dir="ltr"
          className="max-h-60 overflow-auto border-b border-line px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap"
        >
          {showBidi(shortened(command, mostCommand))}
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
