import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { revokeOthers, revokeSession, sessionsQuery } from "../../api/account";
import { dateAndTime, shortDate } from "../../messages/format";
import { t } from "../../messages/t";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { useNow } from "../../ui/useNow";
import type { BrowserSession } from "../../wire/types";
import { deviceOf } from "./device.logic";
import { box, Refused, Unloaded } from "./Parts";
import { fetched } from "../../ui/fetched";

const Confirm = fetched(() => import("../../ui/Confirm"));

/** The browsers in which the person is signed in; one or all others are signed out at once. */
export function Sessions() {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery(sessionsQuery);
  const [asks, setAsks] = useState(false);
  const done = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const one = useMutation({ mutationFn: revokeSession, onSettled: done });
  const others = useMutation({ mutationFn: revokeOthers, onSettled: done });
  if (isError) return <Unloaded again={() => void refetch()} />;
  if (data === undefined) return <p className="text-ui text-ink-3">{t("loading")}</p>;
  return (
    <>
      <ul aria-label={t("sessions")} className={box}>
        {data.sessions.map((session) => (
          <Row
            key={session.id}
            session={session}
            busy={one.isPending || others.isPending}
            onEnd={() => one.mutate(session.id)}
          />
        ))}
      </ul>
      {data.sessions.length > 1 ? (
        <Button look="stop" className="mt-3" disabled={others.isPending} onClick={() => setAsks(true)}>
          {t("sessions.others")}
        </Button>
      ) : null}
      <Refused error={one.error ?? others.error} />
      {asks ? (
        <Suspense fallback={null}>
          <Confirm
            open
            title={t("sessions.others.title")}
            body={t("sessions.others.body", { n: data.sessions.length - 1 })}
            act={t("sessions.others.act")}
            onAct={() => {
              setAsks(false);
              others.mutate();
            }}
            onClose={() => setAsks(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

type RowProps = { session: BrowserSession; busy: boolean; onEnd: () => void };

function Row({ session, busy, onEnd }: RowProps) {
  const now = useNow(60_000);
  const { browser, system } = deviceOf(session.device);
  const device =
    browser !== "" && system !== ""
      ? t("sessions.device", { browser, system })
      : browser + system || session.device || t("sessions.unknown");
  const seen = session.lastSeen;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="min-w-40 flex-1">
        <span className="flex items-center gap-2 text-ui font-medium">
          <span className="wrap-anywhere" title={session.device}>
            {device}
          </span>
          {session.current ? <Badge tone="accent">{t("sessions.current")}</Badge> : null}
        </span>
        <span className="block text-small text-ink-2">
          {session.from === "" ? null : <bdi className="font-mono text-code">{session.from}</bdi>}
          {session.from === "" ? "" : " · "}
          {t("sessions.seen", {
            at: Date.parse(seen) > now - 120_000 ? t("sessions.now") : dateAndTime(seen, now),
            since: shortDate(session.created, now),
          })}
        </span>
      </span>
      {session.current ? null : (
        <Button disabled={busy} aria-label={t("sessions.end.of", { device })} onClick={onEnd}>
          {t("sessions.end")}
        </Button>
      )}
    </li>
  );
}
