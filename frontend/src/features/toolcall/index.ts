export { StepContext, type StepPlace } from "./context";
export { StepTable } from "./StepTable";
export { shownSteps } from "./toolcall.logic";
