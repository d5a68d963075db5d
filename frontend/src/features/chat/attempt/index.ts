export { Attempt } from "./Attempt";
