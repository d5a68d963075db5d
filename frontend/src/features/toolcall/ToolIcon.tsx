import {
  Blocks,
  FilePen,
  FilePlus,
  FileText,
  FolderSearch,
  GitBranch,
  Globe,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestion,
  Pencil,
  Search,
  Terminal,
} from "lucide-react";
import type { ToolKind } from "./toolcall.logic";

const icons: Readonly<Record<ToolKind, LucideIcon>> = {
  read: FileText,
  write: FilePlus,
  edit: Pencil,
  shell: Terminal,
  search: Search,
  glob: FolderSearch,
  web: Globe,
  agent: GitBranch,
  plan: FilePen,
  question: MessageCircleQuestion,
  mcp: Blocks,
  other: Blocks,
};

export const ListIcon = ListChecks;

export function ToolIcon({ kind }: { kind: ToolKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden="true" size={14} strokeWidth={1.75} className="text-ink-3" />;
}
