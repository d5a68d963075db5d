/** A command after a colon, as hints name one: "Install it: npm install …". */
const afterColon = /: ((?:npm|npx|pnpm|uv|pipx|brew|curl|go|claude|codex|kimi|signalbox) .+)$/;

function ticked(text: string): readonly string[] {
  return text.replace(afterColon, ": `$1`").split("`");
}

/** Text in which commands are set as code: what stands between backticks, or ends a hint. */
export function Ticked({ text }: { text: string }) {
  return ticked(text).map((part, i) =>
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

/** The first command that a text names. */
export function firstCode(text: string): string | null {
  return ticked(text)[1] ?? null;
}
