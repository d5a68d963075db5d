export { useFind } from "./find.store";
export { FindBar } from "./FindBar";
