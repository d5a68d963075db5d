/** The ids of a footnote and of the first reference to it, in a text whose ids begin with `id`. */
export function noteId(id: string, index: number): string {
  return `${id}-note-${index + 1}`;
}

export function referenceId(id: string, index: number): string {
  return `${id}-ref-${index + 1}`;
}

/** Goes there without a word in the address: it belongs to the application. */
export function goTo(id: string): void {
  document.getElementById(id)?.focus();
}
