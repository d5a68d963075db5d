import { Dialog } from "@base-ui/react/dialog";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { clsx } from "clsx";
import {
  CornerDownLeft,
  House,
  Keyboard,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Search,
  SquarePen,
} from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { searchQuery } from "../../api/search";
import { useGoOn } from "../../api/useGoOn";
import { t } from "../../messages/t";
import { Glyph } from "../../ui/Glyph";
import { SearchHead, searchBox } from "../../ui/SearchHead";
import { signalOf, stateWords, titleOf, useChats } from "../chats";
import { giveBack } from "../composer";
import { piecesOf, Snip, titled } from "../search";

type Props = {
  text: string;
  onWrite: (text: string) => void;
  newChat: () => void;
  onHelp: () => void;
  onClose: () => void;
  /** What gets the focus back. */
  before: HTMLElement | null;
  /** Its field has the focus. */
  onReady: () => void;
};

type Entry = {
  readonly key: string;
  readonly face: ReactNode;
  readonly icon: ReactNode;
  readonly go: () => void;
};

type Group = { readonly name: string; readonly entries: readonly Entry[] };

const pause = 200;
const mostChats = 6;
const mostHits = 5;

/** Finds chats, messages and actions by a few letters, and goes there. */
export function Palette({ text, onWrite, newChat, onHelp, onClose, before, onReady }: Props) {
  const navigate = useNavigate();
  const chats = useChats();
  const field = useRef<HTMLInputElement>(null);
  // At once, so that no key falls in between, and after what is written already.
  const take = useCallback((input: HTMLInputElement | null) => {
    field.current = input;
    input?.focus({ preventScroll: true });
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  const [q, setQ] = useState("");
  const [at, setAt] = useState(0);
  const words = text.trim();
  useEffect(() => {
    const timer = setTimeout(() => setQ(words), pause);
    return () => clearTimeout(timer);
  }, [words]);
  const found = useInfiniteQuery(searchQuery({ q }));
  const all = found.data?.pages.flatMap((page) => page.hits) ?? [];
  useGoOn(found, q !== "" && all.length === 0);
  const hits = words === "" ? [] : all.slice(0, mostHits);

  const icon = (Icon: LucideIcon) => (
    <Icon aria-hidden="true" size={16} strokeWidth={1.75} className="text-ink-3" />
  );
  const groups: readonly Group[] = [
    {
      name: t(words === "" ? "search.recent" : "search.titles"),
      entries: (words === "" ? chats : titled(chats, words)).slice(0, mostChats).map((chat) => ({
        key: chat.id,
        icon: <Glyph signal={signalOf(chat)} size={12} name={stateWords(chat)} />,
        face: <Title text={titleOf(chat)} words={words} />,
        go: () => void navigate({ to: "/chats/$id", params: { id: chat.id } }),
      })),
    },
    {
      name: t("search.messages"),
      entries: hits.map((hit) => ({
        key: `${hit.chat} ${hit.seq}`,
        icon: icon(MessageSquare),
        face: (
          <>
            <Snip snippet={hit.snippet} /> <bdi className="ps-1.5 text-small text-ink-3">{hit.title}</bdi>
          </>
        ),
        go: () => void navigate({ to: "/chats/$id", params: { id: hit.chat }, hash: `e${hit.seq}` }),
      })),
    },
    {
      name: t("palette.actions"),
      entries: [
        ...(words === ""
          ? []
          : [
              {
                key: "about",
                icon: icon(SquarePen),
                face: t("palette.new", { q: words }),
                go: () => {
                  giveBack("new", words);
                  newChat();
                },
              },
              {
                key: "search",
                icon: icon(Search),
                face: t("palette.search", { q: words }),
                go: () => void navigate({ to: "/search", search: { q: words } }),
              },
            ]),
        ...[
          { key: "new", icon: icon(SquarePen), face: t("newchat"), go: newChat },
          { key: "home", icon: icon(House), face: t("home"), go: () => void navigate({ to: "/" }) },
          {
            key: "all",
            icon: icon(MessagesSquare),
            face: t("chats.all"),
            go: () => void navigate({ to: "/chats" }),
          },
          { key: "keys", icon: icon(Keyboard), face: t("keyboard"), go: onHelp },
        ].filter((entry) => words === "" || entry.face.toLowerCase().includes(words.toLowerCase())),
      ],
    },
  ].filter((group) => group.entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const here = Math.min(at, Math.max(0, entries.length - 1));

  const pick = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const { length } = entries;
    if (event.key === "ArrowDown") setAt((here + 1) % Math.max(1, length));
    else if (event.key === "ArrowUp") setAt((here - 1 + length) % Math.max(1, length));
    else if (event.key === "Enter") pick(entries[here]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="opens fixed inset-0 z-(--z-dialog) bg-scrim" />
        <Dialog.Popup
          aria-label={t("palette")}
          initialFocus={field}
          finalFocus={() => (before?.isConnected === true ? before : null)}
          className={searchBox}
        >
          <SearchHead
            ref={take}
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries.length === 0 ? undefined : `palette-${here}`}
            aria-label={t("palette.field")}
            placeholder={t("palette.field")}
            value={text}
            onFocus={onReady}
            onChange={(event) => {
              onWrite(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div id="palette-list" role="listbox" aria-label={t("palette")} className="overflow-y-auto p-1.5">
            {groups.map((group) => (
              <div key={group.name} role="group" aria-label={group.name}>
                <p aria-hidden="true" className="px-2 pt-2 pb-1 text-caption font-semibold text-ink-3">
                  {group.name}
                </p>
                {group.entries.map((entry) => {
                  const i = entries.indexOf(entry);
                  return (
                    <button
                      key={entry.key}
                      id={`palette-${i}`}
                      type="button"
                      role="option"
                      tabIndex={-1}
                      aria-selected={i === here}
                      ref={i === here ? (row) => row?.scrollIntoView({ block: "nearest" }) : undefined}
                      onPointerMove={() => setAt(i)}
                      onClick={() => pick(entry)}
                      className={clsx(
                        "target flex w-full items-center gap-2.5 rounded-2 px-2 py-1.25 text-start text-ui",
                        i === here && "bg-selected",
                      )}
                    >
                      {entry.icon}
                      <span className="min-w-0 flex-1 truncate">{entry.face}</span>
                      {i === here ? (
                        <CornerDownLeft aria-hidden="true" size={12} className="text-ink-3 max-sm:hidden" />
                      ) : null}
                    </button>
                  );
                })}
              </div>
            ))}
            {entries.length === 0 ? (
              <p className="px-2 py-3 text-ui text-ink-3">{t("palette.none")}</p>
            ) : null}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A title with what was looked for in it. */
function Title({ text, words }: { text: string; words: string }) {
  return (
    <bdi>
      {piecesOf(text, words).map(({ text: piece, hit }, i) =>
        hit ? (
          <strong key={i} className="font-semibold">
            {piece}
          </strong>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
