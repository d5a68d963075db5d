export { Junctions } from "./Junctions";
export { TrackLine } from "./Station";
export { Stop } from "./Stop";
export { useTrack } from "./track.store";
export { OutlineContext, useOutline, useOutlineSource } from "./useOutline";
export { usePoints } from "./usePoints";
