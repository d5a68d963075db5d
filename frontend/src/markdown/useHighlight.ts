import { useEffect, useState } from "react";
import { highlight, highlighted, type Line } from "./highlight";

type Done = { readonly code: string; readonly language: string; readonly lines: readonly Line[] };

/** The coloured lines of finished code, once they are there; they take the room of the plain ones. */
export function useHighlight(code: string, language: string, open: boolean): readonly Line[] | null {
  const [done, setDone] = useState<Done | null>(null);
  const known = open || language === "" ? null : highlighted(code, language);
  useEffect(() => {
    if (open || language === "" || code === "" || known !== null) return undefined;
    let wanted = true;
    void highlight(code, language).then((lines) => {
      if (wanted && lines !== null) setDone({ code, language, lines });
    });
    return () => {
      wanted = false;
    };
  }, [code, language, open, known]);
  return known ?? (done?.code === code && done.language === language ? done.lines : null);
}
