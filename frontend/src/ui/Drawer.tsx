import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { t } from "../messages/t";

type Props = { open: boolean; onOpenChange: (open: boolean) => void; children: ReactNode };

/** What stands at the side where there is room, and slides in where there is none. */
export default function Drawer({ open, onOpenChange, children }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="opens fixed inset-0 z-(--z-dialog) bg-scrim" />
        <Dialog.Popup
          aria-label={t("nav")}
          className="slides fixed inset-y-0 left-0 z-(--z-dialog) w-79 max-w-[85vw] shadow-3"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
