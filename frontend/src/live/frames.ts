/** Runs `task` once at the next frame, or soon where no frame is drawn; returns a way to call it off. */
export type Schedule = (task: () => void) => () => void;

/** A hidden page draws no frames, but what arrives must not pile up in it. */
const longest = 250;

/** Gathers what arrives between two frames, so that the page renders once a frame at most. */
export const nextFrame: Schedule = (task) => {
  let frame = 0;
  const timer = setTimeout(run, longest);
  if (typeof requestAnimationFrame === "function") frame = requestAnimationFrame(run);
  function stop() {
    clearTimeout(timer);
    if (frame !== 0) cancelAnimationFrame(frame);
  }
  function run() {
    stop();
    task();
  }
  return stop;
};
