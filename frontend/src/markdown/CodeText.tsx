import { memo } from "react";
import { GrowingText } from "./GrowingText";
import { useHighlight } from "./useHighlight";

type Props = {
  code: string;
  language: string;
  /** It is still being written. */
  open: boolean;
};

/** The lines of a block of code, coloured once they are whole. */
export const CodeText = memo(function CodeText({ code, language, open }: Props) {
  const lines = useHighlight(code, language, open);
  return (
    // A wide block scrolls, and the keyboard must reach it.
    <pre tabIndex={0} dir="ltr" className="overflow-x-auto px-3 py-2 font-mono text-code">
      <code>
        {lines === null ? (
          <GrowingText value={code} growing={open} />
        ) : (
          lines.map((line, i) => (
            <span key={i}>
              {line.map(([text, voice], j) => (
                <span key={j} className={voice === "" ? undefined : `v-${voice}`}>
                  {text}
                </span>
              ))}
              {i < lines.length - 1 ? "\n" : ""}
            </span>
          ))
        )}
      </code>
    </pre>
  );
});
