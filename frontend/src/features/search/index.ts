export { piecesOf, titled } from "./search.logic";
export { SearchPage } from "./SearchPage";
export { Snip } from "./Snip";
