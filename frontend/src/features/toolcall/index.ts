export { showBidi as plainText } from "./ansi.logic";
export { StepContext, type StepPlace } from "./context";
export { StepRows } from "./StepTable";
export { type StepRow, stepRows, stepWords } from "./toolcall.logic";
export { TodoList } from "./TodoList";
