import { useEffect } from "react";
import { t } from "../../../messages/t";
import { sayFailed } from "../../../ui/toast";
import { giveBack } from "../../composer";
import { useChat } from "../context";
import type { Stop } from "./outline.logic";
import { seqOf, useTrack } from "./track.store";

/**
 * Lets go of a prompt that somebody took out of the chat meanwhile, and says so; words begun there
 * go to the composer.
 */
export function useGone(stops: readonly Stop[]): void {
  const { id } = useChat();
  const asking = useTrack((s) => s.asking);
  const rewinding = useTrack((s) => s.rewinding);
  const editing = useTrack((s) => s.editing);
  const ask = useTrack((s) => s.ask);
  const edit = useTrack((s) => s.edit);
  useEffect(() => {
    const place = asking ?? editing?.place ?? null;
    const seq = place === null ? null : seqOf(place, id);
    if (seq === null || stops.length === 0 || stops.some((stop) => stop.seq === seq)) return;
    if (!rewinding) {
      if (editing !== null) giveBack(id, editing.text);
      sayFailed(t(editing === null ? "rewind.gone" : "edit.gone"));
    }
    ask(null);
    edit(null);
  }, [id, stops, asking, rewinding, editing, ask, edit]);
}
