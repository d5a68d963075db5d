import { AlertDialog } from "@base-ui/react/alert-dialog";
import { t } from "../messages/t";
import { Button } from "./Button";

type Props = {
  open: boolean;
  title: string;
  body: string;
  act: string;
  onAct: () => void;
  onClose: () => void;
};

/** Asks before something that cannot simply be undone. */
export default function Confirm({ open, title, body, act, onAct, onClose }: Props) {
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="opens fixed inset-0 z-(--z-dialog) bg-scrim" />
        <AlertDialog.Popup className="opens fixed top-1/2 left-1/2 z-(--z-dialog) w-[min(26rem,calc(100vw-2rem))] -translate-1/2 rounded-5 border border-line-2 bg-raised p-5 shadow-3">
          <AlertDialog.Title className="text-heading font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-ui text-ink-2">{body}</AlertDialog.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-3">
            <AlertDialog.Close render={<Button>{t("cancel")}</Button>} />
            <Button look="primary" onClick={onAct}>
              {act}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
