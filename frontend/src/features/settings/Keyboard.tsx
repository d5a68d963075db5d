import { useEffect, useRef, useState } from "react";
import { t, type Key } from "../../messages/t";
import { Button } from "../../ui/Button";
import {
  assignable,
  firstKeys,
  ownerOf,
  shortcutNames,
  type Shortcut,
  useShortcuts,
} from "../../ui/shortcuts";
import { box } from "./Parts";
import { Switch } from "./Switch";

const names: Readonly<Record<Shortcut, Key>> = {
  new: "keys.new",
  composer: "keys.composer",
  next: "keys.next",
  previous: "keys.previous",
  help: "keys.help",
  go: "keys.go",
  stationBefore: "keys.station.before",
  stationAfter: "keys.station.after",
  panelBefore: "keys.panel.before",
  panelAfter: "keys.panel.after",
  allow: "keys.allow",
  allowChat: "keys.allow.chat",
  deny: "keys.deny",
};

type Clash = { readonly what: Shortcut; readonly key: string; readonly owner: Shortcut };

/** Turns the keys without a modifier off, or gives each another sign. */
export function Keyboard() {
  const { on, keys, turn, assign, swap, reset } = useShortcuts();
  const [waits, setWaits] = useState<Shortcut | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const [wrong, setWrong] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const focus = (what: Shortcut) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-key="${what}"]`)?.focus());
  useEffect(() => {
    if (waits === null) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || ["Shift", "Control", "Alt", "Meta", "Tab", "CapsLock"].includes(event.key)) {
        if (event.key === "Tab") setWaits(null);
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") {
        setWaits(null);
        return;
      }
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey || !assignable(key)) {
        setWrong(key);
        return;
      }
      const owner = ownerOf(key, keys);
      setWaits(null);
      setWrong("");
      if (owner === null || owner === waits) assign(waits, key);
      else setClash({ what: waits, key, owner });
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [waits, keys, assign]);
  const changed = shortcutNames.some((name) => keys[name] !== firstKeys[name]) || !on;
  return (
    <>
      <Switch label={t("keys.single")} note={t("keys.single.note")} on={on} onChange={turn} />
      <ul ref={list} aria-label={t("keys.list.single")} className={`${box} mt-2`}>
        {shortcutNames.map((name) => (
          <li key={name} className="px-3 py-1.5">
            <div className="flex items-center gap-3 text-ui">
              <span className={on ? "min-w-0 flex-1" : "min-w-0 flex-1 text-ink-3"}>{t(names[name])}</span>
              <kbd className="rounded-1 border border-line-2 bg-sunken px-1.5 font-mono text-count text-ink-2">
                {waits === name ? "…" : keys[name].toUpperCase()}
              </kbd>
              <Button
                data-key={name}
                aria-label={t(waits === name ? "keys.press.of" : "keys.change.of", {
                  what: t(names[name]),
                  key: keys[name].toUpperCase(),
                })}
                aria-pressed={waits === name}
                onClick={() => {
                  setClash(null);
                  setWrong("");
                  setWaits(waits === name ? null : name);
                }}
                className="aria-pressed:border-accent aria-pressed:text-accent"
              >
                {t(waits === name ? "keys.press" : "keys.change")}
              </Button>
            </div>
            {waits === name && wrong !== "" ? (
              <p role="alert" className="pt-1 text-small text-stop">
                {t("keys.wrong")}
              </p>
            ) : null}
            {clash?.what === name ? (
              <div role="alert" className="flex flex-wrap items-center gap-2 pt-1 text-small text-caution">
                {t("keys.clash", { key: clash.key.toUpperCase(), owner: t(names[clash.owner]) })}
                <Button
                  onClick={() => {
                    swap(clash.what, clash.key);
                    setClash(null);
                    focus(clash.what);
                  }}
                >
                  {t("keys.swap")}
                </Button>
                <Button
                  look="ghost"
                  onClick={() => {
                    setClash(null);
                    focus(clash.what);
                  }}
                >
                  {t("cancel")}
                </Button>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      <Button look="ghost" className="mt-2" disabled={!changed} onClick={reset}>
        {t("keys.reset")}
      </Button>
    </>
  );
}
