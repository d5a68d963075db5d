import { type MouseEvent, type PointerEvent, useEffect, useRef } from "react";

const after = 500;
/** A finger that has moved further scrolls. */
const still = 10;

type Press = {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
  readonly onContextMenu: (event: MouseEvent) => void;
  readonly onClickCapture: (event: MouseEvent) => void;
};

/** What a long press of a finger and the secondary button of a mouse do; the click after it does nothing. */
export function useLongPress(onPress: () => void): Press {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const pressed = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  const stop = () => clearTimeout(timer.current);
  return {
    onPointerDown: (event) => {
      pressed.current = false;
      if (event.pointerType !== "touch") return;
      from.current = { x: event.clientX, y: event.clientY };
      timer.current = setTimeout(() => {
        pressed.current = true;
        onPress();
      }, after);
    },
    onPointerMove: (event) => {
      if (Math.hypot(event.clientX - from.current.x, event.clientY - from.current.y) > still) stop();
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onContextMenu: (event) => {
      event.preventDefault();
      stop();
      if (!pressed.current) onPress();
      pressed.current = true;
    },
    onClickCapture: (event) => {
      if (!pressed.current) return;
      pressed.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
