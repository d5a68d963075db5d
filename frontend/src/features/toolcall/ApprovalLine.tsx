import { Check, X } from "lucide-react";
import { useContext } from "react";
import type { ApprovalState } from "../../live/rows";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { StepContext } from "./context";

function words(answer: NonNullable<ApprovalState["answer"]>): string {
  const yes = answer.option !== "deny";
  const said =
    answer.by === undefined
      ? t(yes ? "allowed.mode" : "denied.mode")
      : t(answer.option === "chat" ? "allowed.chat" : yes ? "allowed.by" : "denied.by", {
          name: answer.by.name,
        });
  const more = answer.text ?? answer.reason ?? "";
  return more === "" ? said : `${said}: ${more}`;
}

/** How a request for leave was answered, in one quiet line. */
export function ApprovalLine({ approval }: { approval: ApprovalState }) {
  const { over } = useContext(StepContext);
  const { answer } = approval;
  if (answer === undefined) {
    return (
      <p className="flex items-center gap-1.5 text-small text-ink-3">
        <Glyph signal={over ? "rest" : "needs"} size={11} />
        {t(over ? "approval.expired" : "approval.open")}
      </p>
    );
  }
  const yes = answer.option !== "deny";
  const Icon = yes ? Check : X;
  return (
    <p className="flex items-start gap-1.5 text-small text-ink-3">
      <Icon aria-hidden="true" size={12} className={yes ? "mt-1 text-clear" : "mt-1 text-stop"} />
      {words(answer)}
    </p>
  );
}
