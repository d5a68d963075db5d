import type { ToolStep } from "../../live/rows";

/** The kinds of tools that have a view of their own; `mcp` and `other` share that for unknown ones. */
export type ToolKind =
  | "read"
  | "write"
  | "edit"
  | "shell"
  | "search"
  | "glob"
  | "fetch"
  | "websearch"
  | "agent"
  | "list"
  | "plan"
  | "question"
  | "mcp"
  | "other";

/** The names that vendors give to what is the same, without case, dots, dashes and underscores. */
const names: Readonly<Record<Exclude<ToolKind, "mcp" | "other">, readonly string[]>> = {
  read: ["read", "readfile", "notebookread", "readmediafile", "viewimage", "imageview", "view"],
  write: ["write", "writefile", "createfile"],
  edit: [
    "edit",
    "multiedit",
    "notebookedit",
    "strreplacefile",
    "editfile",
    "filechange",
    "applypatch",
    "patch",
    "patchapply",
  ],
  shell: [
    "bash",
    "shell",
    "exec",
    "execcommand",
    "commandexecution",
    "localshell",
    "runcommand",
    "bashoutput",
  ],
  search: ["grep", "search", "toolsearch", "searchfiles"],
  glob: ["glob", "ls", "listdir", "listfiles", "listdirectory"],
  fetch: ["webfetch", "fetch", "fetchurl"],
  websearch: ["websearch", "searchweb"],
  agent: ["task", "agent", "subagent", "spawnagent"],
  list: [
    "todowrite",
    "todolist",
    "settodolist",
    "updateplan",
    "taskcreate",
    "taskupdate",
    "tasklist",
    "taskget",
  ],
  plan: ["exitplanmode", "plan"],
  question: ["askuserquestion", "askuser", "requestuserinput"],
};

const kinds: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(names).flatMap(([kind, all]) =>
    all.map((name): [string, ToolKind] => [name, isKind(kind) ? kind : "other"]),
  ),
);

function isKind(kind: string): kind is keyof typeof names {
  return kind in names;
}

export function kindOf(step: Pick<ToolStep, "name" | "server">): ToolKind {
  if (step.server !== undefined && step.server !== "") return "mcp";
  return kinds.get(step.name.toLowerCase().replace(/[._-]/g, "")) ?? "other";
}

/** The names of the tools that write files. */
export const writers: readonly string[] = [...names.write, ...names.edit];

export function isWriter(step: Pick<ToolStep, "name" | "server">): boolean {
  const kind = kindOf(step);
  return kind === "write" || kind === "edit";
}
