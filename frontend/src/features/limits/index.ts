export { ChatLimits } from "./ChatLimits";
export { Limits } from "./Limits";
