import { useState } from "react";
import type { Run } from "../../../live/rows";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { Button } from "../../../ui/Button";
import { useChat, useChatState } from "../context";
import { PromptCard } from "../Prompt";
import { type RunState, stationName } from "../thread.logic";
import { useMayWrite } from "../useMayWrite";
import { Station } from "./Station";
import { stationActs, stationNote } from "./stationActs";
import { placeName, useTrack } from "./track.store";
import { useOutline } from "./useOutline";
import { usePoints } from "./usePoints";

type Props = { run: Run; state: RunState; me: string };

/** The prompt of a run of which only a later part is held, as far as the outline knows it, with its station. */
export function CutStop({ run, state, me }: Props) {
  const { id, store } = useChat();
  const { stops } = useOutline();
  const { forkAt, copyLink } = usePoints();
  const write = useMayWrite();
  const running = useChatState((s) => s.sync?.running === true);
  const ask = useTrack((s) => s.ask);
  const [sheet, setSheet] = useState(false);
  const stop = stops.find((other) => other.run === run.key);
  if (stop === undefined) return null;
  const own = stop.by.id === me;
  const back = () => store.visit(stop.seq);
  const acts = stationActs(
    stop,
    { write, running, whole: false },
    {
      forkAt,
      copyLink,
      // It is asked where the prompt is.
      ask: () => {
        back();
        ask(placeName(id, stop.seq));
      },
      edit: back,
    },
  );
  return (
    <>
      <time dateTime={stop.at} className="station-time">
        {clockTime(stop.at)}
      </time>
      <Station
        id={`station-${run.key}`}
        name={stationName(run, state, stop.at)}
        state={state}
        acts={acts}
        note={write ? stationNote(stop, stops) : ""}
        sheet={sheet}
        onSheet={setSheet}
      />
      <PromptCard
        text={stop.line}
        by={own ? t("you") : stop.by.name}
        own={own}
        time={clockTime(stop.at)}
        onHead={() => setSheet(true)}
        // The button goes with this card: the focus goes on to the station of the prompt itself.
        note={<Button onClick={() => store.visit(stop.seq, "focus")}>{t("prompt.whole")}</Button>}
      />
    </>
  );
}
