import { memo, useEffect, useRef, useState } from "react";
import { type Draw, toldBy } from "../frame/words";
import { t } from "../messages/t";
import { CopyButton } from "../ui/CopyButton";
import { CodeText } from "./CodeText";

const least = 40;
const most = 640;
/** A frame that has not drawn after this long will not. */
const patience = 20_000;
/** Longer sources are shown as they are. */
export const longestDrawing = 50_000;

/** Heights of what was drawn, so that a drawing that comes back takes its room at once. */
const heights = new Map<string, number>();
const mostHeights = 200;

function remember(key: string, height: number): void {
  heights.delete(key);
  heights.set(key, height);
  for (const oldest of heights.keys()) {
    if (heights.size <= mostHeights) return;
    heights.delete(oldest);
  }
}

type Props = { kind: Draw["kind"]; source: string };

/** A picture that an agent describes, drawn in a frame that can do nothing else; its source is a click away. */
export const Drawing = memo(function Drawing({ kind, source }: Props) {
  const key = `${kind}\n${source}`;
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(() => heights.get(key) ?? 0);
  const [fault, setFault] = useState("");
  const [asSource, setAsSource] = useState(false);
  const shown = !asSource && fault === "";

  useEffect(() => {
    if (!shown) return undefined;
    const root = document.documentElement;
    const draw = () => {
      const what: Draw = { type: "draw", kind, source, dark: root.dataset["theme"] === "dark" };
      // The frame has no origin that could be named; it holds no secret and gets none.
      frame.current?.contentWindow?.postMessage(what, "*");
    };
    const timer = setTimeout(() => setFault(t("diagram.unknown")), patience);
    const onMessage = ({ source: from, data }: MessageEvent<unknown>) => {
      if (from === null || from !== frame.current?.contentWindow) return;
      const told = toldBy(data);
      if (told?.type === "ready") draw();
      else if (told?.type === "fault") setFault(told.why);
      else if (told?.type === "size") {
        const next = Math.min(most, Math.max(least, told.height));
        clearTimeout(timer);
        remember(key, next);
        setHeight(next);
      }
    };
    const theme = new MutationObserver(draw);
    theme.observe(root, { attributeFilter: ["data-theme"] });
    window.addEventListener("message", onMessage);
    return () => {
      clearTimeout(timer);
      theme.disconnect();
      window.removeEventListener("message", onMessage);
    };
  }, [shown, kind, source, key]);

  return (
    <figure className="overflow-hidden rounded-3 border border-line-2 bg-raised">
      <figcaption className="flex min-h-8 items-center gap-2 border-b border-line ps-3 text-small text-ink-2">
        <span className="flex-1 font-mono text-code">{kind}</span>
        {fault === "" ? (
          <button
            type="button"
            aria-pressed={asSource}
            className="target px-2 text-accent"
            onClick={() => setAsSource(!asSource)}
          >
            {t(asSource ? "diagram.show" : "diagram.source")}
          </button>
        ) : null}
        <CopyButton text={source} label={t("code.copy")} />
      </figcaption>
      {shown ? (
        <iframe
          ref={frame}
          src="/frame"
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          title={t(kind === "mermaid" ? "diagram" : "diagram.drawing")}
          style={{ height: height === 0 ? 200 : height }}
          className="block w-full border-0"
        />
      ) : (
        <CodeText code={source} language={kind === "svg" ? "xml" : ""} open={false} />
      )}
      {fault === "" ? null : (
        <p className="border-t border-line px-3 py-1.5 text-small text-ink-2 wrap-anywhere">
          {t("diagram.failed", { why: fault })}
        </p>
      )}
    </figure>
  );
});
