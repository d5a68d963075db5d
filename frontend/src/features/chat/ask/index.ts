export { Asks } from "./Asks";
export { Late } from "./Late";
export { needWords } from "./ask.logic";
export { NoEffect } from "./NoEffect";
export { RuleList, Rules } from "./Rules";
export { useAcceptedPlan } from "./useAcceptedPlan";
export { useReply } from "./useReply";
