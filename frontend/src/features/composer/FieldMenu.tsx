import { clsx } from "clsx";
import { File, Folder, User } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { t } from "../../messages/t";
import type { Offer } from "./offers";
import type { FieldMenu as Menu } from "./useFieldMenu";

const names = { skill: "offer.skills", file: "offer.files", person: "offer.people" } as const;
const wanted = 320;

/** What can be chosen for the word that is being written, over the composer or, without room, under it. */
export default function FieldMenu({ menu }: { menu: Menu }) {
  const { id, offers, note, skipped, here, pick, move } = menu;
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ over: true, room: wanted });
  useLayoutEffect(() => {
    const around = box.current?.parentElement?.getBoundingClientRect();
    if (around === undefined) return;
    const height = window.visualViewport?.height ?? window.innerHeight;
    const [above, below] = [around.top - 8, height - around.bottom - 8];
    const over = above >= Math.min(wanted, below);
    setPlace({ over, room: Math.max(96, Math.min(wanted, over ? above : below)) });
  }, []);
  const kinds = (["skill", "person", "file"] as const).filter((kind) => offers.some((o) => o.kind === kind));
  return (
    <div
      ref={box}
      role="presentation"
      data-layer
      style={{ maxHeight: place.room }}
      // The focus stays in the field.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      className={clsx(
        "opens absolute inset-x-0 z-(--z-menu) flex flex-col overflow-y-auto rounded-3 border border-line-2 bg-raised p-1 shadow-3",
        place.over ? "bottom-full mb-1.5" : "top-full mt-1.5",
      )}
    >
      {offers.length === 0 ? null : (
        <div id={id} role="listbox" aria-label={t("offer.list")}>
          {kinds.map((kind) => (
            <div key={kind} role="group" aria-label={t(names[kind])}>
              <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-caption font-semibold text-ink-2">
                {t(names[kind])}
              </p>
              {offers.map((offer, i) =>
                offer.kind === kind ? (
                  <div
                    key={keyOf(offer)}
                    id={`${id}-${i}`}
                    role="option"
                    aria-selected={i === here}
                    // The parts of a path are set apart for the eye only.
                    aria-label={offer.kind === "file" ? offer.file.path : undefined}
                    // Keys are the field's.
                    tabIndex={-1}
                    ref={i === here ? (row) => row?.scrollIntoView?.({ block: "nearest" }) : undefined}
                    onPointerMove={() => move(i)}
                    onClick={() => pick(offer)}
                    onKeyDown={() => undefined}
                    className={clsx(
                      "target flex cursor-default items-center gap-2.5 rounded-2 px-2 py-1 text-ui",
                      i === here && "bg-hover",
                    )}
                  >
                    <Face offer={offer} />
                  </div>
                ) : null,
              )}
            </div>
          ))}
        </div>
      )}
      {note === "" ? null : <p className="px-2 py-1.5 text-small text-ink-2">{note}</p>}
      {skipped.length === 0 ? null : (
        <ul
          aria-label={t("skills.skipped")}
          className="border-t border-line px-2 py-1.5 text-small text-ink-3"
        >
          {skipped.map((line) => (
            <li key={line} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function keyOf(offer: Offer): string {
  switch (offer.kind) {
    case "skill":
      return `skill ${offer.skill.name}`;
    case "file":
      return `file ${offer.file.path}`;
    case "person":
      return `person ${offer.name}`;
  }
}

function Face({ offer }: { offer: Offer }) {
  switch (offer.kind) {
    case "skill": {
      const { name, description = "", source } = offer.skill;
      return (
        <>
          <span className="max-w-[60%] flex-none truncate rounded-1 bg-accent-bg px-1.5 font-mono text-code text-accent">
            ${name}
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-ink-2" dir="auto">
            {description}
          </span>
          {source === "workspace" ? (
            <span className="flex-none text-small text-ink-3">{t("skills.here")}</span>
          ) : null}
        </>
      );
    }
    case "file": {
      const { path, dir } = offer.file;
      const cut = path.lastIndexOf("/") + 1;
      const Icon = dir === true ? Folder : File;
      return (
        <>
          <Icon aria-hidden="true" size={14} className="flex-none text-ink-3" />
          <span dir="ltr" className="flex min-w-0 flex-1 font-mono text-code">
            <span className="min-w-0 truncate text-ink-3">{path.slice(0, cut)}</span>
            <span className="max-w-[80%] flex-none truncate">
              {path.slice(cut)}
              {dir === true ? "/" : ""}
            </span>
          </span>
        </>
      );
    }
    case "person":
      return (
        <>
          <User aria-hidden="true" size={14} className="flex-none text-ink-3" />
          <bdi className="min-w-0 truncate">{offer.name}</bdi>
        </>
      );
  }
}
