export { showBidi as plainText } from "./ansi.logic";
export { StepContext, type StepPlace } from "./context";
export { StepTable } from "./StepTable";
export { shownSteps } from "./toolcall.logic";
