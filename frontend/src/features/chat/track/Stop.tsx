import { Pencil } from "lucide-react";
import { useState } from "react";
import type { Prompt, Run } from "../../../live/rows";
import { clockTime } from "../../../messages/format";
import { t } from "../../../messages/t";
import { IconButton } from "../../../ui/Button";
import { useChat, useChatState } from "../context";
import { CutNote } from "../CutNote";
import { PromptCard } from "../Prompt";
import { PromptFiles } from "../PromptFiles";
import { PromptSkills } from "../PromptSkills";
import { type RunState, stationName } from "../thread.logic";
import { useMayWrite } from "../useMayWrite";
import { PromptEdit } from "./PromptEdit";
import { RewindAsk } from "./RewindAsk";
import { Station } from "./Station";
import { stationActs, stationNote } from "./stationActs";
import { placeName, useTrack } from "./track.store";
import { useOutline } from "./useOutline";
import { usePoints } from "./usePoints";
import { Versions } from "./Versions";

type Props = { prompt: Prompt; run: Run; state: RunState; me: string };

/** A prompt with its station, its time, and what can be done there. */
export function Stop({ prompt, run, state, me }: Props) {
  const { id } = useChat();
  const { stops } = useOutline();
  const { forkAt, copyLink } = usePoints();
  const write = useMayWrite();
  const running = useChatState((s) => s.sync?.running === true);
  const [sheet, setSheet] = useState(false);
  const place = placeName(id, prompt.seq);
  const asking = useTrack((s) => s.asking === place);
  const text = useTrack((s) => (s.editing?.place === place ? s.editing.text : null));
  const ask = useTrack((s) => s.ask);
  const edit = useTrack((s) => s.edit);

  const own = prompt.by.id === me;
  const by = own ? t("you") : prompt.by.name;
  const cut = prompt.refs["/text"];
  const stop = stops.find((other) => other.seq === prompt.seq);
  const back = () => document.getElementById(`station-${run.key}`)?.focus({ preventScroll: true });
  const begin = () => edit({ place, text: prompt.text });
  const acts =
    stop === undefined
      ? []
      : stationActs(
          stop,
          { write, running, whole: cut === undefined },
          {
            forkAt,
            copyLink,
            ask: () => ask(place),
            edit: begin,
          },
        );
  return (
    <>
      <time dateTime={prompt.at} className="station-time">
        {clockTime(prompt.at)}
      </time>
      <Station
        id={`station-${run.key}`}
        name={stationName(run, state)}
        state={state}
        acts={acts}
        note={write && stop !== undefined ? stationNote(stop, stops) : ""}
        sheet={sheet}
        onSheet={setSheet}
      />
      {text !== null ? (
        <article aria-label={t("prompt.of", { name: by })} className="prompt-card block!">
          <PromptEdit
            prompt={prompt}
            text={text}
            onText={(next) => edit({ place, text: next })}
            onClose={() => {
              edit(null);
              back();
            }}
          />
        </article>
      ) : (
        <PromptCard
          text={prompt.continues === "" ? prompt.text : t("continued")}
          by={by}
          own={own}
          time={clockTime(prompt.at)}
          asking={asking}
          onHead={() => setSheet(true)}
          note={cut === undefined ? undefined : <CutNote body={cut} />}
          hand={
            write && !running && cut === undefined ? (
              <IconButton
                label={t("station.edit")}
                className="prompt-hand -my-1 text-ink-3 max-sm:hidden"
                onClick={begin}
              >
                <Pencil aria-hidden="true" size={14} strokeWidth={1.75} />
              </IconButton>
            ) : null
          }
        >
          <PromptSkills skills={prompt.skills} />
          <PromptFiles files={prompt.attachments} />
          <Versions seq={prompt.seq} />
          {asking ? (
            <RewindAsk
              prompt={prompt}
              onClose={() => {
                ask(null);
                back();
              }}
            />
          ) : null}
        </PromptCard>
      )}
    </>
  );
}
