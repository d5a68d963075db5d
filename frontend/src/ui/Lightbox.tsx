import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { t } from "../messages/t";
import { IconButton } from "./Button";
import { useReturnFocus } from "./useReturnFocus";

type Props = { src: string; name: string; onClose: () => void };

/** A picture as large as the window lets it be. */
export default function Lightbox({ src, name, onClose }: Props) {
  useReturnFocus();
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
          finalFocus={false}
          className="opens fixed inset-4 z-(--z-dialog) flex flex-col rounded-5 border border-line-2 bg-raised p-3 shadow-3"
        >
          <div className="flex items-center gap-2 pb-2">
            <Dialog.Title className="min-w-0 flex-1 truncate text-ui font-semibold">{name}</Dialog.Title>
            <IconButton label={t("close")} onClick={onClose}>
              <X aria-hidden="true" size={16} />
            </IconButton>
          </div>
          <div className="flex min-h-0 flex-1 items-center justify-center overflow-auto">
            <img src={src} alt={name} className="max-h-full max-w-full object-contain" />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
