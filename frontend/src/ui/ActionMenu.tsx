import { Dialog } from "@base-ui/react/dialog";
import { Menu } from "@base-ui/react/menu";
import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import { Fragment, type RefObject } from "react";

/** Something that a menu does. */
export type Act = {
  readonly key: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** The key that does the same. */
  readonly hint?: string;
  readonly stop?: boolean;
  /** Why it cannot be done now; it is shown all the same. */
  readonly unable?: string;
  readonly onAct: () => void;
};

export type ActionMenuProps = {
  label: string;
  groups: readonly (readonly Act[])[];
  note?: string | undefined;
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
};

const row = "target flex w-full items-center gap-2.5 rounded-2 px-2 text-start text-ui outline-none";

/** What can be done with a thing: a menu beside it, or a sheet where there is little room. */
export default function ActionMenu(props: ActionMenuProps) {
  return matchMedia("(max-width: 639px)").matches ? <Sheet {...props} /> : <Popup {...props} />;
}

function Popup({ label, groups, note, anchor, onClose }: ActionMenuProps) {
  return (
    <Menu.Root
      open
      modal={false}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Menu.Portal>
        <Menu.Positioner
          anchor={anchor}
          side="bottom"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-(--z-menu)"
        >
          <Menu.Popup
            aria-label={label}
            finalFocus={anchor}
            className="opens max-h-(--available-height) min-w-52 overflow-y-auto rounded-3 border border-line-2 bg-raised p-1 shadow-3 outline-none"
          >
            {groups.map((acts, i) => (
              <Fragment key={acts[0]?.key ?? i}>
                {i === 0 ? null : <Menu.Separator className="my-1 h-px bg-line" />}
                {acts.map((act) => (
                  <Menu.Item
                    key={act.key}
                    disabled={act.unable !== undefined}
                    onClick={act.onAct}
                    className={clsx(row, "data-highlighted:bg-hover data-disabled:text-ink-3", tone(act))}
                  >
                    <Face act={act} />
                  </Menu.Item>
                ))}
              </Fragment>
            ))}
            {note === undefined ? null : <Note text={note} />}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Sheet({ label, groups, note, anchor, onClose }: ActionMenuProps) {
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
          finalFocus={anchor}
          className="opens sheet fixed inset-x-0 bottom-0 z-(--z-dialog) max-h-[80dvh] overflow-y-auto border-t border-line-2 bg-raised p-2 pb-[max(12px,env(safe-area-inset-bottom))] shadow-3"
        >
          <Dialog.Title dir="auto" className="truncate px-2 py-2 text-heading font-semibold">
            {label}
          </Dialog.Title>
          {groups.flat().map((act) => (
            <button
              key={act.key}
              type="button"
              disabled={act.unable !== undefined}
              onClick={() => {
                onClose();
                act.onAct();
              }}
              className={clsx(row, "mb-3 last:mb-0 hover:bg-hover disabled:text-ink-3", tone(act))}
            >
              <Face act={act} />
            </button>
          ))}
          {note === undefined ? null : <Note text={note} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function tone(act: Act): string {
  return act.stop === true ? "text-stop" : "";
}

function Face({ act }: { act: Act }) {
  const { icon: Icon, name, hint, unable } = act;
  return (
    <>
      <Icon aria-hidden="true" size={14} strokeWidth={1.75} className="text-ink-3" />
      <span className="min-w-0 flex-1">
        {name}
        {unable === undefined ? null : <span className="block text-small text-ink-3">{unable}</span>}
      </span>
      {hint === undefined ? null : (
        <kbd aria-hidden="true" className="font-mono text-count text-ink-3 max-sm:hidden">
          {hint}
        </kbd>
      )}
    </>
  );
}

function Note({ text }: { text: string }) {
  return <p className="mt-1 border-t border-line px-2 pt-1.5 pb-0.5 text-small text-ink-3">{text}</p>;
}
