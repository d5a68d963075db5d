export { useChoices } from "./choice.store";
export { Composer, type Written } from "./Composer";
export { ModelButton } from "./ModelButton";
export { isPicture, refusalWords, unsendable } from "./composer.logic";
export { closeDrafts, giveBack, openDrafts, takeOut, useDrafts, useDraftText } from "./draft.store";
export { useUploads } from "./upload.store";
export type { SkillChoice } from "./useSkillChoice";
export { useDraftSync } from "./useDraftSync";
