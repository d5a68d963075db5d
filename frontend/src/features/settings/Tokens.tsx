import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { makeToken, revokeToken, tokensQuery } from "../../api/account";
import { shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { useNow } from "../../ui/useNow";
import type { MadeToken, Token } from "../../wire/types";
import { box, Refused, Unloaded } from "./Parts";
import { TokenForm } from "./TokenForm";

/** What lets programs in, in the person's name: made here, shown once, revoked at once. */
export function Tokens() {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery(tokensQuery);
  const [made, setMade] = useState<MadeToken | null>(null);
  const shown = useRef<HTMLDivElement>(null);
  const done = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSuccess: (_answer, id) => setMade((now) => (now?.token.id === id ? null : now)),
    onSettled: done,
  });
  const make = useMutation({
    mutationFn: makeToken,
    onSuccess: (next) => {
      setMade(next);
      requestAnimationFrame(() => shown.current?.focus());
    },
    onSettled: done,
  });
  return (
    <>
      {made === null ? null : (
        <div
          ref={shown}
          tabIndex={-1}
          role="status"
          className="mb-3 rounded-3 border border-clear-line bg-clear-bg px-3 py-2 text-ui"
        >
          <p className="font-medium">{t("tokens.made", { name: made.token.name })}</p>
          <p className="text-small text-ink-2">{t("tokens.once")}</p>
          <div className="mt-2 flex items-center gap-2">
            <code className="min-w-0 flex-1 rounded-2 border border-line-2 bg-raised px-2 py-1 font-mono text-code break-all">
              {made.secret}
            </code>
            <CopyButton text={made.secret} label={t("tokens.copy")} />
            <Button look="ghost" onClick={() => setMade(null)}>
              {t("tokens.kept")}
            </Button>
          </div>
        </div>
      )}
      {isError ? <Unloaded again={() => void refetch()} /> : null}
      {data?.tokens.length === 0 ? <p className="text-ui text-ink-3">{t("tokens.none")}</p> : null}
      {data === undefined || data.tokens.length === 0 ? null : (
        <ul aria-label={t("tokens.title")} className={box}>
          {data.tokens.map((token) => (
            <Row
              key={token.id}
              token={token}
              busy={revoke.isPending}
              onRevoke={() => revoke.mutate(token.id)}
            />
          ))}
        </ul>
      )}
      <Refused error={revoke.error} />
      <TokenForm busy={make.isPending} made={made?.token.id ?? ""} onMake={(token) => make.mutate(token)} />
      <Refused error={make.error} />
    </>
  );
}

function Row({ token, busy, onRevoke }: { token: Token; busy: boolean; onRevoke: () => void }) {
  const now = useNow(60_000);
  const { name, scope, expires, lastSeen } = token;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-40 flex-1">
        <bdi className="block text-ui font-medium wrap-anywhere">{name}</bdi>
        <span className="block text-small text-ink-2">
          {[
            t(scope === "read" ? "tokens.scope.read" : "tokens.scope.full"),
            expires === undefined ? t("tokens.unending") : t("tokens.until", { at: shortDate(expires, 0) }),
            lastSeen === undefined ? t("tokens.unused") : t("tokens.used", { at: shortDate(lastSeen, now) }),
          ].join(" · ")}
        </span>
      </span>
      <Button look="stop" disabled={busy} aria-label={t("tokens.revoke.of", { name })} onClick={onRevoke}>
        {t("tokens.revoke")}
      </Button>
    </li>
  );
}
