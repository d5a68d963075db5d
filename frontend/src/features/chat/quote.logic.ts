/** A text as a quotation in Markdown. */
export function quoted(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
    .split("\n")
    .map((line) => (line.trim() === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** A draft with a quotation behind what is there, and room to write on. */
export function withQuote(draft: string, text: string): string {
  const before = draft.trimEnd();
  return `${before === "" ? "" : `${before}\n\n`}${quoted(text)}\n\n`;
}
