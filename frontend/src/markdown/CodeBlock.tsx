import { memo } from "react";
import { t } from "../messages/t";
import { CopyButton } from "../ui/CopyButton";
import { CodeText } from "./CodeText";
import { Drawing, longestDrawing } from "./Drawing";

type Props = {
  code: string;
  language: string;
  /** It is still being written. */
  open: boolean;
};

/** A block of code with its language and a button that copies it; what describes a picture is drawn. */
export const CodeBlock = memo(function CodeBlock({ code, language, open }: Props) {
  const kind = language.toLowerCase();
  if (!open && (kind === "mermaid" || kind === "svg") && code.length <= longestDrawing && code.trim() !== "")
    return <Drawing kind={kind} source={code} />;
  return (
    <figure className="overflow-hidden rounded-3 border border-line-2 bg-raised">
      <figcaption className="flex min-h-8 items-center justify-between border-b border-line ps-3 text-small text-ink-2">
        <span className="font-mono text-code">{language === "" ? t("code") : language}</span>
        <CopyButton text={code} label={t("code.copy")} />
      </figcaption>
      <CodeText code={code} language={language} open={open} />
    </figure>
  );
});
