import { type RefObject, useCallback, useEffect, useState } from "react";
import { clockTime } from "../../messages/format";
import { t } from "../../messages/t";
import { useChat, useChatState } from "./context";
import { useThreadPlace } from "./placement";
import { useOutline } from "./track";

/** The prompt of what is read, in one line over the thread while the prompt itself is scrolled away. */
export function StickyPrompt({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const { store } = useChat();
  const { show } = useThreadPlace();
  const { stops } = useOutline();
  const [key, setKey] = useState<string | null>(null);
  const held = useChatState((s) => s.thread.find((run) => run.key === key)?.prompt);
  // Of a run whose beginning is not held, the outline knows the prompt.
  const stop = held === undefined ? stops.find(({ run }) => run === key) : undefined;

  const look = useCallback(() => {
    const box = scroller.current;
    setKey(box === null ? null : passedPrompt(box));
  }, [scroller]);
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    const content = new ResizeObserver(soon);
    for (const child of box.children) content.observe(child);
    box.addEventListener("scroll", soon, { passive: true });
    soon();
    return () => {
      cancelAnimationFrame(frame);
      content.disconnect();
      box.removeEventListener("scroll", soon);
    };
  }, [scroller, look]);

  const at = held?.at ?? stop?.at;
  if (at === undefined) return null;
  const back = () => {
    if (held !== undefined) show(`p:${held.clientId}`);
    else if (stop !== undefined) store.visit(stop.seq);
  };
  return (
    <div className="sticky-prompt column">
      <button
        type="button"
        onClick={back}
        className="target flex w-full items-center gap-2 rounded-b-3 border border-t-0 border-line-2 bg-raised px-3.5 text-start text-ui shadow-2 hover:bg-hover"
      >
        <span className="sr-only">{t("prompt.back")}</span>
        <span className="font-mono text-count text-ink-3">{clockTime(at)}</span>
        <bdi className="min-w-0 flex-1 truncate">{held?.text.split("\n", 1)[0] ?? stop?.line}</bdi>
      </button>
    </div>
  );
}

/** The run at the upper edge, where its prompt is above it and enough of it is still below. */
function passedPrompt(box: HTMLElement): string | null {
  const edge = box.getBoundingClientRect().top;
  for (const run of box.querySelectorAll<HTMLElement>("[data-run]")) {
    if (run.getBoundingClientRect().bottom < edge + 80) continue;
    const prompt = run.querySelector('[data-row^="p:"], [data-cut]');
    return prompt !== null && prompt.getBoundingClientRect().bottom < edge + 8
      ? (run.dataset["run"] ?? null)
      : null;
  }
  return null;
}
