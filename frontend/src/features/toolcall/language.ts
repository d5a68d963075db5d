/** Endings that are not the names of their languages. */
const endings: Readonly<Record<string, string>> = {
  h: "c",
  hpp: "cpp",
  cc: "cpp",
  cxx: "cpp",
  htm: "html",
  svg: "xml",
  cjs: "javascript",
  cts: "typescript",
  kts: "kotlin",
  jsonl: "json",
  env: "ini",
  conf: "ini",
  cfg: "ini",
  patch: "diff",
};

/** The language of a file by its name, as the highlighter knows it; "" where the name says nothing. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "dockerfile" || name === "makefile") return name;
  const dot = name.lastIndexOf(".");
  if (dot < 0) return "";
  const ending = name.slice(dot + 1);
  return endings[ending] ?? ending;
}
