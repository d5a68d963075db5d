export { useChoices } from "./choice.store";
export { Composer } from "./Composer";
export { refusalWords } from "./composer.logic";
export { giveBack, useDrafts } from "./draft.store";
