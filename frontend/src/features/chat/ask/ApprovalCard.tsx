import { type ReactNode, useRef } from "react";
import type { ApprovalState } from "../../../live/rows";
import { Markdown } from "../../../markdown/Markdown";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { type Shortcut, useShortcuts } from "../../../ui/shortcuts";
import type { Answer } from "../../../wire/types";
import { useDraftText } from "../../composer";
import { plainText } from "../../toolcall";
import { useChat } from "../context";
import { CutNote } from "../CutNote";
import { beginning } from "../../../text/characters";
import { leaves, scopeWords, titleOf } from "./ask.logic";
import { Card, CardNote } from "./Card";
import { useCardKeys } from "./useCardKeys";

export type CardProps = {
  only: boolean;
  place?: ReactNode;
  /** Why it cannot be answered now; empty if it can. */
  closed: string;
  /** The person may only read: there is nothing to press. */
  reads?: boolean;
  onAnswer: (answer: Answer) => boolean;
};

/** A request for leave: what would be done, where, and the answers. */
export function ApprovalCard({
  approval,
  only,
  place,
  closed,
  reads = false,
  onAnswer,
}: CardProps & { approval: ApprovalState }) {
  const card = useRef<HTMLElement>(null);
  const answers = useRef<HTMLDivElement>(null);
  const { id } = useChat();
  const draft = useDraftText(id).trim();
  const risky = leaves(approval);
  const plan = approval.kind === "plan";
  const { scope } = approval;
  const open = closed === "";

  const say = (option: Answer["option"], text?: string) =>
    option !== undefined &&
    onAnswer({ approvalId: approval.id, option, ...(text === undefined ? {} : { text }) });
  useCardKeys({
    card,
    answers,
    only,
    active: open,
    onKey: (key) => {
      const option = { y: "once", a: scope === undefined ? undefined : "chat", n: "deny" } as const;
      const lower = key.toLowerCase();
      if (lower !== "y" && lower !== "a" && lower !== "n") return false;
      return say(option[lower]);
    },
  });

  return (
    <Card
      card={card}
      title={titleOf(approval)}
      risky={risky}
      since={approval.at}
      place={place}
      role="alertdialog"
    >
      {plan ? <Plan approval={approval} /> : <What approval={approval} />}
      {closed === "" ? null : <CardNote>{closed}</CardNote>}
      <div
        ref={answers}
        hidden={reads}
        className="flex flex-wrap items-center gap-x-3 gap-y-3 max-sm:flex-col max-sm:items-stretch"
      >
        <Button look={risky ? "plain" : "primary"} disabled={!open} onClick={() => say("once")}>
          {t(plan ? "ask.start" : "ask.once")} <Key name="allow" />
        </Button>
        {scope === undefined ? null : (
          <>
            <Button disabled={!open} onClick={() => say("chat")} aria-describedby="ask-scope">
              {t("ask.chat")} <Key name="allowChat" />
            </Button>
            <bdi
              dir="ltr"
              id="ask-scope"
              className="min-w-0 flex-1 basis-40 text-small text-ink-2 wrap-anywhere max-sm:-mt-2 max-sm:basis-auto"
            >
              {plainText(scopeWords(scope))}
            </bdi>
          </>
        )}
        {plan ? <span className="min-w-0 flex-1 text-small text-ink-2">{t("ask.starts")}</span> : null}
        <span className="flex-1 max-sm:hidden" />
        {draft === "" ? null : (
          <Button
            disabled={!open}
            onClick={() => say("deny", draft)}
            title={t("ask.send.what", { text: beginning(draft, 200) })}
          >
            {t(plan ? "ask.keep.send" : "ask.deny.send")}
          </Button>
        )}
        <Button disabled={!open} onClick={() => say("deny")}>
          {t(plan ? "ask.keep" : "ask.deny")} <Key name="deny" />
        </Button>
      </div>
    </Card>
  );
}

function Key({ name }: { name: Shortcut }) {
  const key = useShortcuts((s) => s.keys[name]);
  return (
    <kbd aria-hidden="true" className="hidden font-mono text-count opacity-80 sm:inline">
      {key.toUpperCase()}
    </kbd>
  );
}

/** The plan itself, which may be long. */
function Plan({ approval }: { approval: ApprovalState }) {
  const cut = approval.refs["/detail"];
  return (
    <div className="max-h-[60dvh] overflow-y-auto text-body" tabIndex={0}>
      <Markdown text={approval.detail ?? approval.title} />
      {cut === undefined ? null : <CutNote body={cut} />}
    </div>
  );
}

/** What would be done: only what the request carries. */
function What({ approval }: { approval: ApprovalState }) {
  const cut = approval.refs["/title"];
  const { cwd, detail, paths, outside, tool } = approval;
  return (
    <>
      <div>
        <pre
          dir="ltr"
          tabIndex={0}
          className="max-h-[40dvh] overflow-auto rounded-2 border border-line-2 bg-sunken px-3 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap"
        >
          {plainText(approval.title)}
        </pre>
        {cut === undefined ? null : <CutNote body={cut} />}
      </div>
      <dl className="grid grid-cols-[5rem_1fr] gap-x-2 gap-y-1 text-small empty:hidden">
        {detail === undefined || detail === "" ? null : <Row name={t("ask.why")}>{plainText(detail)}</Row>}
        {approval.kind !== "tool" || tool === undefined || tool === approval.title ? null : (
          <Row name={t("ask.tool.row")}>
            <bdi dir="ltr" className="font-mono">
              {plainText(tool)}
            </bdi>
          </Row>
        )}
        {cwd === undefined || cwd === "" ? null : (
          <Row name={t("ask.cwd")}>
            <bdi dir="ltr" className="font-mono">
              {plainText(cwd)}
            </bdi>
          </Row>
        )}
        {paths.length === 0 ? null : (
          <Row name={t("ask.writes")}>
            {paths.map((path) => (
              <bdi key={path} dir="ltr" className="block font-mono">
                {plainText(path)}
              </bdi>
            ))}
            {outside === undefined || outside === "" ? null : (
              <span className="font-medium text-stop">{t("ask.outside")}</span>
            )}
          </Row>
        )}
      </dl>
    </>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 text-ink-2 wrap-anywhere">{children}</dd>
    </>
  );
}
