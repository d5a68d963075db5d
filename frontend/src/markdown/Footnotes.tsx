import { CornerDownLeft } from "lucide-react";
import { t } from "../messages/t";
import type { Blocks } from "./blocks";
import { hideFormulas } from "./formulas";
import { definitionsOf, drawAll } from "./nodes";
import { goTo, noteId, referenceId } from "./notes";
import { parse } from "./parse";

type Props = { notes: Blocks["notes"]; definitions: string; outline: string; id: string };

/** The footnotes of a text, each with the way back to where it is referred to. */
export function Footnotes({ notes, definitions, outline, id }: Props) {
  return (
    <section aria-label={t("footnotes")} className="footnotes">
      <ol>
        {notes.map(({ at, source }, i) => (
          <li key={at} id={noteId(id, i)} tabIndex={-1}>
            <Note source={source} definitions={definitions} outline={outline} id={id} />
            <button
              type="button"
              aria-label={t("footnote.back", { n: i + 1 })}
              className="target inline-flex items-center justify-center text-ink-3 hover:text-ink"
              onClick={() => goTo(referenceId(id, i))}
            >
              <CornerDownLeft aria-hidden="true" size={12} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Note({ source, definitions, outline, id }: Omit<Props, "notes"> & { source: string }) {
  const hidden = hideFormulas(source);
  const { children } = parse(hidden.text + definitions);
  const note = children.find((node) => node.type === "footnoteDefinition");
  if (note === undefined) return null;
  return drawAll(note.children, {
    definitions: definitionsOf(children),
    notes: [],
    id,
    outline,
    open: false,
    source,
    formulas: hidden.formulas,
  });
}
