import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../messages/t";
import { IconButton } from "./Button";
import { copyText } from "./copy";

/** Copies a text and says whether that worked. */
export function CopyButton({ text, label = t("copy") }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<"done" | "failed" | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <IconButton
        label={label}
        className="text-ink-3"
        onClick={() => void copyText(text).then((done) => setOutcome(done ? "done" : "failed"))}
      >
        {outcome === "done" ? <Check size={14} className="text-clear" /> : <Copy size={14} />}
      </IconButton>
      <span role="status" className={outcome === "failed" ? "text-small text-stop" : "sr-only"}>
        {outcome === "done" ? t("copied") : outcome === "failed" ? t("copy.failed") : ""}
      </span>
    </>
  );
}
