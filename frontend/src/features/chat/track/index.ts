export { CutStop } from "./CutStop";
export { Junctions } from "./Junctions";
export { TrackLine } from "./Station";
export { Stop } from "./Stop";
export { seqOf, useTrack } from "./track.store";
export { useGone } from "./useGone";
export { OutlineContext, useOutline, useOutlineSource } from "./useOutline";
export { usePoints } from "./usePoints";
