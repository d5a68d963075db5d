import { ChartNoAxesColumn, FilePenLine, GitFork, type LucideIcon, X } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, Suspense, useEffect, useRef } from "react";
import { t } from "../../../messages/t";
import { IconButton } from "../../../ui/Button";
import { isTyping, layerOpen } from "../../../ui/keys";
import { meant } from "../../../ui/shortcuts";
import type { ChatSummary } from "../../../wire/types";
import { Divider } from "./Divider";
import { type PanelTab, panelTabs, tabAfter } from "./panel.logic";
import { usePanelWidth } from "./width.store";
import { fetched } from "../../../ui/fetched";

const Forks = fetched(() => import("../forks").then((door) => ({ default: door.ForksPanel })));
const Changes = fetched(() => import("./Changes"));
const Usage = fetched(() => import("../../usage").then((door) => ({ default: door.ChatUsage })));

const icons: Readonly<Record<PanelTab, LucideIcon>> = {
  forks: GitFork,
  changes: FilePenLine,
  usage: ChartNoAxesColumn,
};
const names = { forks: "forks", changes: "panel.changes", usage: "panel.usage" } as const;

type Props = { chat: ChatSummary; tab: PanelTab; onTab: (tab: PanelTab) => void; onClose: () => void };

/** Where it stands beside the thread; else it covers it. */
const beside = "(min-width: 1024px)";

/** The right side of a chat: one of its views at a time, as wide as it was dragged. */
export default function Panel({ chat, tab, onTab, onClose }: Props) {
  const panel = useRef<HTMLElement>(null);
  const tabs = useRef<HTMLDivElement>(null);
  const width = usePanelWidth((s) => s.width);
  useEffect(() => {
    tabs.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, []);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || layerOpen()) return;
      if (event.key === "Escape") {
        // Beside the thread it stays; over it, Escape gives the thread back.
        if (matchMedia(beside).matches) return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
        return;
      }
      if (event.ctrlKey || event.metaKey || isTyping(event)) return;
      const key = meant(event.key);
      if (key !== "{" && key !== "}") return;
      event.preventDefault();
      onTab(tabAfter(tab, key === "{" ? -1 : 1));
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [tab, onTab, onClose]);
  const onArrow = (event: KeyboardEvent) => {
    const to =
      event.key === "ArrowRight"
        ? tabAfter(tab, 1)
        : event.key === "ArrowLeft"
          ? tabAfter(tab, -1)
          : event.key === "Home"
            ? panelTabs[0]
            : event.key === "End"
              ? panelTabs.at(-1)
              : undefined;
    if (to === undefined) return;
    event.preventDefault();
    onTab(to);
    tabs.current?.querySelector<HTMLElement>(`[data-tab="${to}"]`)?.focus();
  };
  const style: CSSProperties & Record<"--panel-width", string> = { "--panel-width": `${width}px` };
  return (
    <aside
      ref={panel}
      aria-label={t(names[tab])}
      style={style}
      className="panel flex flex-col border-s border-line bg-canvas"
    >
      <Divider panel={panel} />
      <div className="flex min-h-12 items-end gap-2 border-b border-line ps-3 pe-2">
        <div
          ref={tabs}
          role="tablist"
          aria-label={t("panel.tabs")}
          className="flex min-w-0 flex-1 self-stretch overflow-x-auto"
        >
          {panelTabs.map((name) => {
            const Icon = icons[name];
            return (
              <button
                key={name}
                id={`panel-tab-${name}`}
                data-tab={name}
                type="button"
                role="tab"
                aria-selected={name === tab}
                aria-controls="panel-body"
                tabIndex={name === tab ? 0 : -1}
                onClick={() => onTab(name)}
                onKeyDown={onArrow}
                className="flex items-center gap-2 border-b-2 border-transparent px-3 text-ui text-ink-2 -outline-offset-2 hover:text-ink aria-selected:border-ink aria-selected:font-semibold aria-selected:text-ink"
              >
                <Icon aria-hidden="true" size={14} strokeWidth={1.75} />
                {t(names[name])}
              </button>
            );
          })}
        </div>
        <IconButton label={t("close")} className="self-center" onClick={onClose}>
          <X aria-hidden="true" size={16} />
        </IconButton>
      </div>
      <div
        id="panel-body"
        role="tabpanel"
        aria-labelledby={`panel-tab-${tab}`}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-5 py-4 -outline-offset-2"
      >
        <Suspense fallback={<p className="text-ui text-ink-3">{t("loading")}</p>}>
          {tab === "forks" ? <Forks chat={chat} beside={beside} onClose={onClose} /> : null}
          {tab === "changes" ? <Changes cwd={chat.cwd} /> : null}
          {tab === "usage" ? <Usage chat={chat.id} ended={chat.active} /> : null}
        </Suspense>
      </div>
    </aside>
  );
}
