import { useContext } from "react";
import type { ToolStep } from "../../live/rows";
import { t } from "../../messages/t";
import { StepContext } from "./context";
import { Output } from "./Output";
import { outputOf } from "./result.logic";
import { Whole } from "./Whole";

/** What a tool gave back, as the text that it is. */
export function ResultText({ step, name, head }: { step: ToolStep; name: string; head?: number }) {
  const { chatId } = useContext(StepContext);
  const output = outputOf(step);
  const body = step.result?.refs["/output"];
  const draw = (text: string | null) =>
    (text ?? output) === "" ? (
      <p className="bg-sunken px-3 py-2 text-small text-ink-3">{t("output.none")}</p>
    ) : (
      <Output
        id={step.key}
        text={text ?? output}
        name={name}
        wrap={step.result?.ok === false}
        {...(head === undefined ? { tail: 20 } : { head })}
      />
    );
  return body === undefined ? draw(null) : <Whole chatId={chatId} body={body} draw={draw} />;
}
