import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { t } from "../messages/t";
import { Button } from "./Button";

type Props = { open: boolean; title: string; onClose: () => void; children: ReactNode };

/** A window over the page, which Escape closes. */
export default function Dialog({ open, title, onClose, children }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="opens fixed inset-0 z-(--z-dialog) bg-scrim" />
        <Base.Popup
          initialFocus={() =>
            body.current?.querySelector<HTMLElement>("input, select, textarea") ?? close.current
          }
          className="opens fixed top-1/2 left-1/2 z-(--z-dialog) flex max-h-[80dvh] w-[min(34rem,calc(100vw-2rem))] -translate-1/2 flex-col rounded-5 border border-line-2 bg-raised p-5 shadow-3"
        >
          <Base.Title className="text-heading font-semibold">{title}</Base.Title>
          {/* What scrolls must be reached by the keyboard, also where it holds nothing to be used. */}
          <div ref={body} tabIndex={0} className="mt-2 min-h-0 flex-1 overflow-y-auto outline-offset-4">
            {children}
          </div>
          <div className="mt-5 flex justify-end">
            <Base.Close render={<Button ref={close}>{t("close")}</Button>} />
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
