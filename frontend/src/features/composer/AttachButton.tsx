import { Paperclip, Plus } from "lucide-react";
import { useRef } from "react";
import { t } from "../../messages/t";
import { IconButton } from "../../ui/Button";

/** Chooses files from the device. */
export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={t("attach")} onClick={() => input.current?.click()} className="flex-none">
        <Paperclip aria-hidden="true" size={16} strokeWidth={1.75} className="@max-[30rem]:hidden" />
        <Plus aria-hidden="true" size={20} strokeWidth={1.75} className="@min-[30rem]:hidden" />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file can be chosen again.
          event.target.value = "";
        }}
      />
    </>
  );
}
