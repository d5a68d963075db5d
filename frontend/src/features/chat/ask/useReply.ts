import { useState } from "react";
import type { Answer } from "../../../wire/types";
import { useDrafts } from "../../composer";
import { useChat } from "../context";
import { replyWith } from "./ask.logic";
import { useAsking } from "./asking.store";

type Reply = {
  /** A question waits: the run is held until somebody answers. */
  readonly waits: boolean;
  /** What words written now answer; null where they are a prompt. */
  readonly answer: ((words: string) => Answer) | null;
};

/**
 * Whether what is written is the reply to the question that waits, of several the one whose card is shown.
 * It is not where it was begun before that card came, for then Enter goes on to mean what it meant, nor
 * with files, which no answer takes.
 */
export function useReply(): Reply {
  const { id } = useChat();
  const asking = useAsking((s) => s.asking);
  const empty = useDrafts((s) => (s.drafts[id]?.text ?? "") === "");
  const files = useDrafts((s) => (s.drafts[id]?.attachments.length ?? 0) > 0);
  const asked = asking?.question.id ?? "";
  const [before, setBefore] = useState({ asked: "", begun: false });
  if (before.asked !== asked) setBefore({ asked, begun: !empty });
  else if (before.begun && empty) setBefore({ asked, begun: false });
  const meant = asking !== null && before.asked === asked && !before.begun && !files;
  return { waits: asking !== null, answer: meant ? (words) => replyWith(asking, words) : null };
}
