import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../messages/t";

type Katex = typeof import("katex").default;

let katex: Katex | null = null;
let loading: Promise<Katex | null> | null = null;

/** Fetches what sets formulas, once, when the first of them is there. */
function load(): Promise<Katex | null> {
  loading ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(
    ([module]) => (katex = module.default),
    () => {
      loading = null; // the next formula tries again
      return null;
    },
  );
  return loading;
}

/** What formulas may do: nothing beyond themselves, and not without end. */
const options = { throwOnError: true, strict: "ignore", trust: false, maxExpand: 500, maxSize: 20 } as const;

/** A formula. One that cannot be set is shown as it was written. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [ready, setReady] = useState(katex !== null);
  const [fault, setFault] = useState({ tex: "", why: "" });
  useEffect(() => {
    if (ready) return undefined;
    let wanted = true;
    void load().then((loaded) => {
      if (wanted && loaded !== null) setReady(true);
    });
    return () => {
      wanted = false;
    };
  }, [ready]);
  useLayoutEffect(() => {
    if (!ready || katex === null || place.current === null) return;
    try {
      katex.render(tex, place.current, { ...options, displayMode: display });
    } catch (error) {
      setFault({ tex, why: error instanceof Error ? error.message : t("formula.failed") });
    }
  }, [ready, tex, display]);
  const why = fault.tex === tex ? fault.why : "";
  if (!ready || why !== "")
    return (
      <code
        className={display ? "block overflow-x-auto whitespace-pre" : undefined}
        title={why === "" ? undefined : why}
      >
        {tex}
      </code>
    );
  // A wide formula scrolls in its own box, and the keyboard must reach it.
  return display ? (
    <span ref={place} className="formula" tabIndex={0} role="group" aria-label={t("formula")} />
  ) : (
    <span ref={place} />
  );
});
