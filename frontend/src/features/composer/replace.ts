/** Replaces a part of what is written as if it were typed, so that the browser's undo brings it back. */
export function replaceIn(
  field: HTMLTextAreaElement,
  [from, to]: readonly [number, number],
  words: string,
): void {
  field.focus();
  field.setSelectionRange(from, to);
  // The one way into a browser's undo; it is called obsolete, and nothing has taken its place.
  const typed =
    "execCommand" in document &&
    (words === "" ? document.execCommand("delete") : document.execCommand("insertText", false, words));
  if (typed) return;
  field.setRangeText(words, from, to, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
