export { showBidi as plainText } from "./ansi.logic";
export { changesOf, type FileChanges } from "./changes.logic";
export { StepContext, type StepPlace } from "./context";
export { DiffTable } from "./DiffTable";
export { isWriter, writers } from "./kinds";
export { StepRows } from "./StepTable";
export { type StepRow, stepRows, stepWords } from "./toolcall.logic";
export { TodoList } from "./TodoList";
