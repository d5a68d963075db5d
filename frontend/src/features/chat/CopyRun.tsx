import { Check, Copy, FileText } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { blobText } from "../../api/calls";
import type { Run, TextRow } from "../../live/rows";
import { t } from "../../messages/t";
import { IconButton } from "../../ui/Button";
import { copyText } from "../../ui/copy";
import { useChat } from "./context";
import { answerMarkdown, runMarkdown } from "./copy.logic";

/** Copies the answer of a run, or the run with its steps, as Markdown. */
export function CopyRun({ run }: { run: Run }) {
  const { id } = useChat();
  const whole = (row: TextRow) =>
    row.cut === undefined ? Promise.resolve(row.text) : blobText(id, row.cut.sha256);
  return (
    <span className="flex flex-none thumb:gap-3">
      {run.rows.some((row) => row.kind === "answer") ? (
        <Copier label={t("copy.answer")} text={() => answerMarkdown(run, whole)}>
          <Copy aria-hidden="true" size={14} />
        </Copier>
      ) : null}
      <Copier label={t("copy.run")} text={() => runMarkdown(run, whole)}>
        <FileText aria-hidden="true" size={14} />
      </Copier>
    </span>
  );
}

type Props = { label: string; text: () => Promise<string>; children: ReactNode };

/** A button that copies a text which is made when it is wanted. */
function Copier({ label, text, children }: Props) {
  const [outcome, setOutcome] = useState<"done" | "failed" | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    let done = false;
    try {
      done = await copyText(await text());
    } catch {
      done = false; // The whole of a cut text did not come.
    }
    setOutcome(done ? "done" : "failed");
  };
  return (
    <>
      <IconButton label={label} className="text-ink-3" onClick={() => void copy()}>
        {outcome === "done" ? <Check aria-hidden="true" size={14} className="text-clear" /> : children}
      </IconButton>
      <span role="status" className={outcome === "failed" ? "self-center text-small text-stop" : "sr-only"}>
        {outcome === "done" ? t("copied") : outcome === "failed" ? t("copy.failed") : ""}
      </span>
    </>
  );
}
