import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../messages/t";
import { Button, IconButton } from "./Button";
import { Glyph } from "./Glyph";
import { type Toast, useToasts } from "./toast";

/** How long a word stays, and one with an act, which not everybody reaches at once. Nothing goes while somebody is at it. */
const stay = 8_000;
const stayToAct = 20_000;

/** What was just done, under the header, where nobody writes. */
export function Toasts() {
  const toasts = useToasts((s) => s.toasts);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-14 z-(--z-menu) flex flex-col items-center gap-2 px-4"
    >
      {toasts.map((toast) => (
        <Line key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Line({ toast }: { toast: Toast }) {
  const forget = useToasts((s) => s.forget);
  const [busy, setBusy] = useState(false);
  const { id, act } = toast;
  useEffect(() => {
    if (busy) return undefined;
    const timer = setTimeout(() => forget(id), act === undefined ? stay : stayToAct);
    return () => clearTimeout(timer);
  }, [busy, forget, id, act]);
  return (
    <div
      onPointerEnter={() => setBusy(true)}
      onPointerLeave={() => setBusy(false)}
      onFocus={() => setBusy(true)}
      onBlur={() => setBusy(false)}
      className="pointer-events-auto flex max-w-full items-center gap-3 rounded-3 border border-line-3 bg-raised py-1 ps-3 pe-1 text-ui shadow-3"
    >
      {toast.tone === "stop" ? <Glyph signal="failed" size={14} /> : null}
      <span dir="auto" className="min-w-0 wrap-anywhere">
        {toast.text}
      </span>
      {act === undefined ? null : (
        <Button
          onClick={() => {
            forget(id);
            act.onAct();
          }}
        >
          {act.name}
        </Button>
      )}
      <IconButton label={t("dismiss")} onClick={() => forget(id)}>
        <X aria-hidden="true" size={14} />
      </IconButton>
    </div>
  );
}
