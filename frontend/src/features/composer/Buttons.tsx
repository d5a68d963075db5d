import { ArrowUp, CornerDownLeft, FastForward, Square } from "lucide-react";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";

/** A run that goes on while the next prompt is written. */
export type Running = {
  readonly onStop: () => void;
  /** Esc was pressed once: the second stops. */
  readonly armed: boolean;
  readonly stopping: boolean;
  /** There is no line to ask the server by. */
  readonly offline: boolean;
};

type Props = {
  sendLabel: string;
  /** What sending does where it is not a prompt that goes: the button stands back then. */
  instead: string;
  ready: boolean;
  running: Running | undefined;
  onNow: () => void;
};

const round = "@max-[30rem]:rounded-full @max-[30rem]:px-0";

/** What can be done with what is written, and with the run that goes on. */
export function Buttons({ sendLabel, instead, ready, running, onNow }: Props) {
  return (
    <div className="ms-auto flex gap-3 @min-[30rem]:contents">
      {running === undefined ? null : (
        <Button
          look="stop"
          onClick={running.onStop}
          disabled={running.stopping || running.offline}
          className={round}
        >
          <Square aria-hidden="true" size={12} fill="currentColor" />
          <span className="@max-[30rem]:sr-only">{t(running.stopping ? "stop.now" : "stop")}</span>
          <kbd className="hidden font-mono text-count text-ink-3 @min-[30rem]:inline">
            {t(running.armed ? "stop.again" : "key.esc")}
          </kbd>
        </Button>
      )}
      {running === undefined || !ready || running.offline ? null : (
        <Button title={t("now.what")} onClick={onNow} className={round}>
          <FastForward aria-hidden="true" size={14} className="@min-[38rem]:hidden" />
          <span className="@max-[38rem]:sr-only">{t("now")}</span>
        </Button>
      )}
      <Button
        look={instead === "" ? "primary" : "plain"}
        title={instead === "" ? undefined : instead}
        type="submit"
        aria-disabled={!ready}
        className={round}
      >
        <span className="@max-[30rem]:sr-only">{sendLabel}</span>
        <CornerDownLeft aria-hidden="true" size={12} className="@max-[30rem]:hidden" />
        <ArrowUp aria-hidden="true" size={20} className="@min-[30rem]:hidden" />
      </Button>
    </div>
  );
}
