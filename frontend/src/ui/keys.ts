/** Whether a key belongs to a text that is being written, or to an input method that writes it. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.isComposing || event.keyCode === 229) return true;
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])"))
  );
}

// A card of the thread asks for attention and closes on no key, and a list that only shows takes none.
const layers =
  '[role="dialog"], [role="alertdialog"]:not([data-card]), [role="listbox"], [role="menu"]:not([data-shows]), [data-layer]';

/** Whether something that closes on Escape lies over the page; a list may be there and not show. */
export function layerOpen(): boolean {
  return [...document.querySelectorAll(layers)].some((layer) => layer.checkVisibility());
}
