export { Frame } from "./Frame";
export { LoginPage } from "./LoginPage";
export { SetupPage } from "./SetupPage";
