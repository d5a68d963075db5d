export { ForksPanel } from "./ForksPanel";
