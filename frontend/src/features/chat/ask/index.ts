export { Late } from "./Late";
export { NoEffect } from "./NoEffect";
export { needWords } from "./ask.logic";
export { RuleList, Rules } from "./Rules";
export { useAcceptedPlan } from "./useAcceptedPlan";
export { useReply } from "./useReply";
