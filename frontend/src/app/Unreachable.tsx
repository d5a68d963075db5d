import type { ErrorComponentProps } from "@tanstack/react-router";
import { ApiError } from "../api/http";
import { Frame } from "../features/session";
import { t } from "../messages/t";
import { Button } from "../ui/Button";

/** The server does not answer, or the page itself has failed. */
export function Unreachable({ error }: ErrorComponentProps) {
  const ours = error instanceof ApiError;
  return (
    <Frame
      title={t(ours ? "unreachable.title" : "broken.title")}
      body={t(ours ? "unreachable.body" : "broken.body")}
    >
      {ours ? null : (
        <p className="mt-2 font-mono text-code text-ink-3 wrap-anywhere">
          {error instanceof Error ? error.message : String(error)}
        </p>
      )}
      <Button look="primary" className="mt-5" onClick={() => location.reload()}>
        {t("reload")}
      </Button>
    </Frame>
  );
}
