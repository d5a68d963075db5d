import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { Suspense } from "react";
import { revokeRule } from "../../../api/calls";
import { meQuery, rulesQuery } from "../../../api/queries";
import { clockTime, shortDate } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button, IconButton } from "../../../ui/Button";
import type { Rule } from "../../../wire/types";
import { plainText } from "../../toolcall";
import { scopeWords } from "./ask.logic";
import { fetched } from "../../../ui/fetched";

const Dialog = fetched(() => import("../../../ui/Dialog"));

type Props = { chat: string; open: boolean; onOpen: (open: boolean) => void };

/** Opens the list of what people allowed for the chat; on a phone the menu of the chat does. */
export function Rules({ chat, open, onOpen }: Props) {
  return (
    <>
      <IconButton
        label={t("rules")}
        className="max-sm:hidden"
        onClick={() => onOpen(true)}
        aria-haspopup="dialog"
      >
        <ShieldCheck aria-hidden="true" size={16} strokeWidth={1.75} />
      </IconButton>
      {open ? (
        <Suspense fallback={null}>
          <Dialog open title={t("rules")} onClose={() => onOpen(false)}>
            <RuleList chat={chat} />
          </Dialog>
        </Suspense>
      ) : null}
    </>
  );
}

/** What was allowed for a chat, each with the way to take it back. */
export function RuleList({ chat }: { chat: string }) {
  const client = useQueryClient();
  const { data, isError } = useQuery(rulesQuery(chat));
  const reader = useQuery(meQuery).data?.role === "viewer";
  const revoke = useMutation({
    mutationFn: (rule: string) => revokeRule(chat, rule),
    onSettled: () => client.invalidateQueries({ queryKey: rulesQuery(chat).queryKey }),
  });
  if (isError) return <p className="text-ui text-ink-2">{t("rules.failed")}</p>;
  if (data === undefined) return null;
  if (data.rules.length === 0) return <p className="text-ui text-ink-2">{t("rules.none")}</p>;
  return (
    <>
      <p className="text-ui text-ink-2">{t("rules.body")}</p>
      <ul className="mt-3 divide-y divide-line">
        {data.rules.map((rule) => (
          <li key={rule.id} className="flex flex-wrap items-center gap-3 py-2">
            <What rule={rule} />
            {reader ? null : (
              <Button
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(rule.id)}
                aria-label={t("rules.revoke.name", { what: plainText(wordsOf(rule)) })}
              >
                {t("rules.revoke")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {revoke.isError ? (
        <p role="alert" className="mt-2 text-small text-stop">
          {t("rules.revoke.failed")}
        </p>
      ) : null}
    </>
  );
}

function wordsOf({ scope }: Rule): string {
  return scope.kind === "command" ? (scope.command ?? "") : scopeWords(scope);
}

function What({ rule }: { rule: Rule }) {
  const { scope } = rule;
  return (
    <div className="min-w-48 flex-1 text-ui wrap-anywhere">
      {scope.kind === "command" ? (
        <code dir="ltr" className="block font-mono text-code whitespace-pre-wrap">
          {plainText(scope.command ?? "")}
        </code>
      ) : null}
      <bdi dir="ltr" className="block text-small text-ink-2">
        {plainText(scopeWords(scope))}
      </bdi>
      <span className="block text-small text-ink-3">
        {t("rules.by", { name: rule.by.name, at: when(rule.at) })}
      </span>
    </div>
  );
}

function when(at: string): string {
  const date = shortDate(at, Date.now());
  const clock = clockTime(at);
  return date === clock ? clock : `${date}, ${clock}`;
}
