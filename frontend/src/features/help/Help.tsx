import { t, type Key } from "../../messages/t";
import Dialog from "../../ui/Dialog";

type Line = readonly [keys: string, does: Key];

const groups: readonly (readonly [name: Key, lines: readonly Line[]])[] = [
  [
    "keys.everywhere",
    [
      ["Ctrl K", "keys.palette"],
      ["C", "keys.new"],
      ["G H", "keys.home"],
      ["G N", "keys.needs"],
      ["J", "keys.next"],
      ["K", "keys.previous"],
      ["/", "keys.composer"],
      ["?", "keys.help"],
    ],
  ],
  [
    "keys.chat",
    [
      ["Enter", "keys.send"],
      ["Shift Enter", "keys.line"],
      ["$ /", "keys.skills"],
      ["@", "keys.files"],
      ["Esc", "keys.stop"],
      ["[ ]", "keys.stations"],
      ["Ctrl F", "keys.find"],
      ["Y A N", "keys.answer"],
    ],
  ],
  [
    "keys.station",
    [
      ["F", "station.fork"],
      ["R", "station.rewind"],
      ["E", "station.edit"],
      ["L", "station.link"],
    ],
  ],
  [
    "keys.list",
    [
      ["F2", "chat.rename"],
      ["Delete", "chat.delete"],
    ],
  ],
];

/** The keys and what they do. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title={t("keyboard")} onClose={onClose}>
      {groups.map(([name, lines]) => (
        <section key={name} className="pb-3">
          <h3 className="pb-1 text-caption font-semibold text-ink-2">{t(name)}</h3>
          <dl>
            {lines.map(([keys, does]) => (
              <div key={keys} className="flex items-center gap-3 py-0.5 text-ui">
                <dd className="min-w-0 flex-1">{t(does)}</dd>
                <dt className="flex gap-1">
                  {keys.split(" ").map((key) => (
                    <kbd
                      key={key}
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
