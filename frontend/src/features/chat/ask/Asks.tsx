import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { meQuery } from "../../../api/queries";
import type { Request } from "../../../live/requests";
import { t } from "../../../messages/t";
import { Avatar } from "../../../ui/Avatar";
import { IconButton } from "../../../ui/Button";
import type { Answer } from "../../../wire/types";
import { useChat, useChatState } from "../context";
import { ApprovalCard } from "./ApprovalCard";
import { needWords } from "./ask.logic";
import { QuestionCard } from "./QuestionCard";

/** What a run waits for people to answer: one card at a time. */
export function Asks({ requests }: { requests: readonly Request[] }) {
  const { store } = useChat();
  const [chosen, setChosen] = useState("");
  const answers = useChatState((s) => s.answers);
  const online = useChatState((s) => s.link.kind === "open");
  const reader = useQuery(meQuery).data?.role === "viewer";
  const box = useRef<HTMLDivElement>(null);
  const found = requests.findIndex((r) => r.id === chosen);
  const at = found < 0 ? 0 : found;
  const request = requests[at];
  useFocusOn(box, request?.id ?? "");
  if (request === undefined) return null;

  const sending = answers.has(request.id) && answers.get(request.id)?.fault === undefined;
  const closed = reader ? t("ask.reader") : !online ? t("ask.offline") : sending ? t("ask.sending") : "";
  const all = requests.length;
  const step = (by: number) => setChosen(requests[(at + by + all) % all]?.id ?? "");
  const place =
    all === 1 ? null : (
      <span className="flex items-center">
        <IconButton label={t("ask.previous")} onClick={() => step(-1)}>
          <ChevronLeft aria-hidden="true" size={14} />
        </IconButton>
        <span className="font-mono text-count text-ink-2">{t("ask.of", { n: at + 1, all })}</span>
        <IconButton label={t("ask.following")} onClick={() => step(1)}>
          <ChevronRight aria-hidden="true" size={14} />
        </IconButton>
      </span>
    );
  const shared = {
    only: all === 1,
    place,
    closed,
    reads: reader,
    onAnswer: (answer: Answer) => store.answer(answer),
  };
  return (
    <div ref={box} className="flex flex-col gap-2">
      {/* Said once, when the card comes. */}
      <p key={`said:${request.id}`} role="alert" className="sr-only">
        {needWords(request)}
      </p>
      {request.kind === "question" ? (
        <QuestionCard key={request.id} question={request.question} {...shared} />
      ) : (
        <ApprovalCard key={request.id} approval={request.approval} {...shared} />
      )}
      <Viewers />
    </div>
  );
}

/** Somebody who was in a card that went away goes on in the next one, or where prompts are written. */
function useFocusOn(box: React.RefObject<HTMLElement | null>, request: string): void {
  const inside = useRef(false);
  useEffect(() => {
    const note = () => {
      inside.current = box.current?.contains(document.activeElement) === true;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [box]);
  useEffect(() => {
    const card = box.current?.querySelector<HTMLElement>("[data-card]");
    if (inside.current && card !== null && card?.contains(document.activeElement) === false) card.focus();
    return undefined;
  }, [box, request]);
  useEffect(
    () => () => {
      const lost = document.activeElement === document.body || document.activeElement === null;
      if (inside.current && lost && !matchMedia("(pointer: coarse)").matches)
        document.getElementById("composer")?.focus();
    },
    [],
  );
}

/** Who else could answer. */
function Viewers() {
  const people = useChatState((s) => s.people);
  const me = useChatState((s) => s.me?.id ?? "");
  const [first, ...more] = people.filter((p) => p.id !== me);
  if (first === undefined) return null;
  return (
    <p className="flex items-center gap-2 text-small text-ink-3">
      <Avatar person={first} size={18} />
      {more.length === 0
        ? t("ask.viewing", { name: first.name })
        : t("ask.viewing.more", { n: more.length + 1 })}
    </p>
  );
}
