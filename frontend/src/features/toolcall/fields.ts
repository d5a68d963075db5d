/** Readers of what agents send: nothing of its shape is sure. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

/** The first of the fields that is a text. */
export function textOf(value: unknown, ...keys: readonly string[]): string {
  for (const key of keys) {
    const found = field(value, key);
    if (typeof found === "string") return found;
  }
  return "";
}

export function numberOf(value: unknown, ...keys: readonly string[]): number | null {
  for (const key of keys) {
    const found = field(value, key);
    if (typeof found === "number") return found;
  }
  return null;
}

export function listOf(value: unknown, key: string): readonly unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}
