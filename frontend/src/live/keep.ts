import type { Row, Step } from "./rows";

/** Values that lie deeper than this count as other ones: it is an agent that decides how deep. */
const deepest = 32;

/**
 * Rows that were folded anew, where those that say what they said before keep their identity,
 * wherever they stand now: what did not change is not drawn again.
 */
export function keepRows(before: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const held = new Map(before.map((row) => [`${row.kind}:${row.key}`, row]));
  return rows.map((row) => {
    const old = held.get(`${row.kind}:${row.key}`);
    if (old === undefined) return row;
    if (old.kind !== "steps" || row.kind !== "steps") return same(old, row, 0) ? old : row;
    const steps = keepSteps(old.steps, row.steps);
    const all = steps.length === old.steps.length && steps.every((step, i) => step === old.steps[i]);
    return all ? old : { ...row, steps };
  });
}

function keepSteps(before: readonly Step[], steps: readonly Step[]): readonly Step[] {
  const held = new Map(before.map((step) => [step.key, step]));
  return steps.map((step) => {
    const old = held.get(step.key);
    if (old === undefined) return step;
    if (old.kind !== "tool" || step.kind !== "tool" || step.children.length === 0)
      return same(old, step, 0) ? old : step;
    const children = keepRows(old.children, step.children);
    const all = children.length === old.children.length && children.every((c, i) => c === old.children[i]);
    const kept = { ...step, children: all ? old.children : children };
    return same(old, kept, 0) ? old : kept;
  });
}

function same(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > deepest || Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [Object.entries(a), new Map(Object.entries(b))];
  return x.length === y.size && x.every(([key, value]) => y.has(key) && same(value, y.get(key), depth + 1));
}
