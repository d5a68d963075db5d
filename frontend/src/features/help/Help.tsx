import { Link } from "@tanstack/react-router";
import { t, type Key } from "../../messages/t";
import Dialog from "../../ui/Dialog";
import { type Shortcut, useShortcuts } from "../../ui/shortcuts";

/** Keys that can be changed are named by what they do; the others as they are. */
type Line = readonly [keys: readonly (string | { readonly key: Shortcut })[], does: Key];

const groups: readonly (readonly [name: Key, lines: readonly Line[]])[] = [
  [
    "keys.everywhere",
    [
      [["Ctrl", "K"], "keys.palette"],
      [[{ key: "new" }], "keys.new"],
      [[{ key: "go" }, "H"], "keys.home"],
      [[{ key: "go" }, "N"], "keys.needs"],
      [[{ key: "next" }], "keys.next"],
      [[{ key: "previous" }], "keys.previous"],
      [[{ key: "composer" }], "keys.composer"],
      [["Ctrl", "\\"], "keys.sidebar"],
      [[{ key: "help" }], "keys.help"],
    ],
  ],
  [
    "keys.chat",
    [
      [["Enter"], "keys.send"],
      [["Shift", "Enter"], "keys.line"],
      [["$", "/"], "keys.skills"],
      [["@"], "keys.files"],
      [["Esc"], "keys.stop"],
      [[{ key: "stationBefore" }, { key: "stationAfter" }], "keys.stations"],
      [["Ctrl", "F"], "keys.find"],
      [["Ctrl", "Shift", "\\"], "keys.panel"],
      [[{ key: "panelBefore" }, { key: "panelAfter" }], "keys.panel.tabs"],
      [[{ key: "allow" }, { key: "allowChat" }, { key: "deny" }], "keys.answer"],
    ],
  ],
  [
    "keys.station",
    [
      [["F"], "station.fork"],
      [["R"], "station.rewind"],
      [["E"], "station.edit"],
      [["L"], "station.link"],
    ],
  ],
  [
    "keys.list",
    [
      [["F2"], "chat.rename"],
      [["Delete"], "chat.delete"],
    ],
  ],
];

/** The keys and what they do. */
export function Help({ onClose }: { onClose: () => void }) {
  const { on, keys } = useShortcuts();
  return (
    <Dialog open title={t("keyboard")} onClose={onClose}>
      <p className="flex flex-wrap gap-x-3 pb-2 text-small text-ink-2">
        {on ? null : <span>{t("keys.off")}</span>}
        <Link
          to="/settings/{-$part}"
          params={{ part: "keyboard" }}
          onClick={onClose}
          className="inline-flex min-h-6 items-center thumb:min-h-11 text-accent underline-offset-2 hover:underline"
        >
          {t("keys.settings")}
        </Link>
      </p>
      {groups.map(([name, lines]) => (
        <section key={name} className="pb-3">
          <h3 className="pb-1 text-caption font-semibold text-ink-2">{t(name)}</h3>
          <dl>
            {lines.map(([line, does]) => (
              <div key={does} className="flex items-center gap-3 py-0.5 text-ui">
                <dd className="min-w-0 flex-1">{t(does)}</dd>
                <dt className="flex gap-1">
                  {line
                    .map((one) => (typeof one === "string" ? one : keys[one.key].toUpperCase()))
                    .map((key, i) => (
                      <kbd
                        key={`${key} ${i}`}
                        className="rounded-1 border border-line-2 bg-sunken px-1.5 font-mono text-count text-ink-2"
                      >
                        {key}
                      </kbd>
                    ))}
                </dt>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
