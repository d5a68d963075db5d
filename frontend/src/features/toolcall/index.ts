export { StepContext, type StepPlace } from "./context";
export { StepTable } from "./StepTable";
export { TodoList } from "./TodoList";
export { shownSteps } from "./toolcall.logic";
