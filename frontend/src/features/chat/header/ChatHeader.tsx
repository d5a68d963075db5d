import { useNavigate } from "@tanstack/react-router";
import { Folder, Gauge, PanelRight, Pencil, Pin, Search, ShieldCheck, Zap } from "lucide-react";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { shortPath } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Badge } from "../../../ui/Badge";
import { IconButton } from "../../../ui/Button";
import { Glyph, type Signal } from "../../../ui/Glyph";
import { layerOpen } from "../../../ui/keys";
import { MenuButton } from "../../../ui/MenuButton";
import type { ChatSummary } from "../../../wire/types";
import { chatActs, TitleField, titleOf, useChatHands, useWorkspace } from "../../chats";
import { Rules } from "../ask";
import { useFind } from "../find";
import { useMayWrite } from "../useMayWrite";
import type { View } from "../useShown";
import { ForkLine } from "./ForkLine";
import { People } from "./People";
import { folderName } from "./folder.logic";
import { exportActs } from "./exportActs";
import { fetched } from "../../../ui/fetched";

const ChatLimits = fetched(() => import("../../limits").then((door) => ({ default: door.ChatLimits })));

type Props = { chat: ChatSummary; signal: Signal; menu: ReactNode; demo: boolean; view: View };

/** Which chat this is, how it stands, who else is here, and what can be done with it. */
export function ChatHeader({ chat, signal, menu, demo, view }: Props) {
  const write = useMayWrite();
  const hands = useChatHands();
  const navigate = useNavigate();
  const openFind = useFind((s) => s.open);
  const workspace = useWorkspace();
  const [renaming, setRenaming] = useState(false);
  const [limits, setLimits] = useState(false);
  const [rules, setRules] = useState(false);
  const shown = view.panel !== null;
  const folder = folderName(chat);
  const togglePanel = () => view.openPanel(shown ? null : "forks");
  const acts = () => [
    ...chatActs(chat, hands, {
      write,
      onRename: () => setRenaming(true),
      onRemoved: () => void navigate({ to: "/" }),
    }),
    exportActs(chat.id),
    [
      { key: "find", name: t("find.open"), icon: Search, hint: t("key.find"), onAct: openFind },
      {
        key: "search",
        name: t("search.here"),
        icon: Search,
        onAct: () => void navigate({ to: "/search", search: { chat: chat.id } }),
      },
      { key: "panel", name: t("panel"), icon: PanelRight, hint: t("key.panel"), onAct: togglePanel },
      { key: "rules", name: t("rules"), icon: ShieldCheck, onAct: () => setRules(true) },
      ...(write ? [{ key: "limits", name: t("limits"), icon: Gauge, onAct: () => setLimits(true) }] : []),
    ],
  ];
  useEffect(() => {
    if (!write) return undefined;
    const onKey = (event: KeyboardEvent) => {
      // A row of the list renames its own chat.
      if (event.key !== "F2" || event.defaultPrevented || layerOpen()) return;
      event.preventDefault();
      setRenaming(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [write]);
  return (
    <header>
      <div className="@container flex h-12 items-center gap-1.5 border-b border-line px-2 sm:px-5">
        {menu}
        <Glyph signal={signal} size={14} />
        {renaming ? (
          <TitleField
            title={chat.title}
            className="min-h-[max(2rem,var(--target))] min-w-0 flex-1 rounded-2 border border-line-3 bg-raised px-2 text-heading font-semibold pointer-coarse:text-field"
            onEnd={(title) => {
              setRenaming(false);
              if (title !== null) void hands.rename(chat, title);
            }}
          />
        ) : (
          // The folder has what room the title leaves: where that is too little, it goes to a line that is not seen.
          <div className="flex h-full min-w-0 flex-wrap gap-x-2 overflow-hidden">
            <div className="flex h-full max-w-full min-w-0 items-center gap-2">
              <div className="min-w-8">
                <h1 dir="auto" className="truncate text-heading font-semibold" title={chat.title}>
                  {titleOf(chat)}
                </h1>
                {folder === "" ? null : (
                  <p className="truncate font-mono text-count text-ink-3 sm:hidden">
                    <bdi dir="ltr">{folder}</bdi>
                  </p>
                )}
              </div>
              {write ? (
                <IconButton
                  label={t("chat.rename")}
                  className="flex-none text-ink-3 @max-[32rem]:hidden"
                  onClick={() => setRenaming(true)}
                >
                  <Pencil aria-hidden="true" size={14} strokeWidth={1.75} />
                </IconButton>
              ) : null}
              {chat.pinned === true ? (
                <Pin role="img" aria-label={t("chat.pinned")} size={14} className="text-ink-3" />
              ) : null}
              {demo ? <Badge tone="accent">{t("demo")}</Badge> : null}
              {chat.archived === true ? <Badge>{t("chat.is.archived")}</Badge> : null}
              {chat.selected.mode === "full_auto" ? (
                <Badge tone="caution">
                  <Zap aria-hidden="true" size={12} />
                  {t("mode.full_auto")}
                </Badge>
              ) : null}
            </div>
            {chat.cwd === "" ? null : (
              <div className="flex h-full items-center gap-3 ps-1 max-sm:hidden">
                <span aria-hidden="true" className="h-5 w-px flex-none bg-line-2" />
                <Badge>
                  <Folder aria-hidden="true" size={12} />
                  <bdi dir="ltr" className="max-w-72 truncate font-mono text-code" title={chat.cwd}>
                    {shortPath(chat.cwd)}
                  </bdi>
                </Badge>
              </div>
            )}
          </div>
        )}
        <span className="flex-1" />
        <People />
        <Rules chat={chat.id} open={rules} onOpen={setRules} />
        <IconButton
          label={t("panel")}
          aria-pressed={shown}
          onClick={togglePanel}
          className="aria-pressed:bg-selected aria-pressed:text-ink max-sm:hidden"
        >
          <PanelRight aria-hidden="true" size={16} strokeWidth={1.75} />
        </IconButton>
        <MenuButton label={t("chat.more")} title={titleOf(chat)} acts={acts} />
      </div>
      {limits ? (
        <Suspense fallback={null}>
          <ChatLimits chat={chat} onChange={(next) => workspace.put(next)} onClose={() => setLimits(false)} />
        </Suspense>
      ) : null}
      {chat.forkOf === undefined ? null : <ForkLine origin={chat.forkOf} by={chat.owner} />}
    </header>
  );
}
