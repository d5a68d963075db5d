/** Text in which what stands between backticks is code. */
export function Ticked({ text }: { text: string }) {
  return text.split("`").map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      // The parts never move, so their place is a good key.
      <code
        key={i}
        className="rounded-1 border border-line-2 bg-sunken px-1 font-mono text-code wrap-anywhere"
      >
        {part}
      </code>
    ),
  );
}

/** The first command that a text names in backticks. */
export function firstCode(text: string): string | null {
  return text.split("`")[1] ?? null;
}
