import { useEffect, useState } from "react";
import { highlight, type Line } from "./highlight";

/** The coloured lines of finished code, once they are there; they take the room of the plain ones. */
export function useHighlight(code: string, language: string, open: boolean): readonly Line[] | null {
  const [done, setDone] = useState<{ readonly code: string; readonly lines: readonly Line[] } | null>(null);
  useEffect(() => {
    if (open || language === "") return undefined;
    let wanted = true;
    void highlight(code, language).then((lines) => {
      if (wanted && lines !== null) setDone({ code, lines });
    });
    return () => {
      wanted = false;
    };
  }, [code, language, open]);
  return done?.code === code ? done.lines : null;
}
