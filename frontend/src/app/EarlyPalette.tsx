import { t } from "../messages/t";
import { SearchHead, searchBox } from "../ui/SearchHead";

type Props = {
  text: string;
  onWrite: (text: string) => void;
  onClose: () => void;
  /** An input method writes, and must not be interrupted. */
  onComposing: (composing: boolean) => void;
};

/**
 * The field of the palette while the palette itself is still fetched, so that what is typed right after
 * its key finds where to go.
 */
export function EarlyPalette({ text, onWrite, onClose, onComposing }: Props) {
  return (
    <div role="dialog" aria-modal="true" aria-label={t("palette")} className={searchBox}>
      <SearchHead
        autoFocus
        aria-label={t("palette.field")}
        placeholder={t("palette.field")}
        value={text}
        onChange={(event) => onWrite(event.target.value)}
        onCompositionStart={() => onComposing(true)}
        onCompositionEnd={() => onComposing(false)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onClose();
        }}
      />
    </div>
  );
}
