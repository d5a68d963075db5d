import { memo } from "react";
import { t } from "../messages/t";
import { CopyButton } from "../ui/CopyButton";
import { useHighlight } from "./useHighlight";

type Props = {
  code: string;
  language: string;
  /** It is still being written. */
  open: boolean;
};

/** A block of code with its language and a button that copies it. */
export const CodeBlock = memo(function CodeBlock({ code, language, open }: Props) {
  const lines = useHighlight(code, language, open);
  return (
    <figure className="overflow-hidden rounded-3 border border-line-2 bg-raised">
      <figcaption className="flex min-h-8 items-center justify-between border-b border-line ps-3 text-small text-ink-2">
        <span className="font-mono text-code">{language === "" ? t("code") : language}</span>
        <CopyButton text={code} label={t("code.copy")} />
      </figcaption>
      {/* A wide block scrolls, and the keyboard must reach it. */}
      <pre tabIndex={0} dir="ltr" className="overflow-x-auto px-3 py-2 font-mono text-code">
        <code>
          {lines === null
            ? code
            : lines.map((line, i) => (
                <span key={i}>
                  {line.map(([text, voice], j) => (
                    <span key={j} className={voice === "" ? undefined : `v-${voice}`}>
                      {text}
                    </span>
                  ))}
                  {i < lines.length - 1 ? "\n" : ""}
                </span>
              ))}
        </code>
      </pre>
    </figure>
  );
});
