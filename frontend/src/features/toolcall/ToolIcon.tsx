import {
  Blocks,
  FilePen,
  FilePlus,
  FileText,
  FolderSearch,
  GitBranch,
  Globe,
  Image,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestion,
  Pencil,
  Search,
  Terminal,
} from "lucide-react";
import type { ToolKind } from "./kinds";

const icons: Readonly<Record<ToolKind, LucideIcon>> = {
  read: FileText,
  write: FilePlus,
  edit: Pencil,
  shell: Terminal,
  search: Search,
  glob: FolderSearch,
  fetch: Globe,
  websearch: Globe,
  agent: GitBranch,
  list: ListChecks,
  plan: FilePen,
  question: MessageCircleQuestion,
  mcp: Blocks,
  other: Blocks,
};

export function ToolIcon({ kind, picture = false }: { kind: ToolKind; picture?: boolean }) {
  const Icon = picture ? Image : icons[kind];
  return <Icon aria-hidden="true" size={14} strokeWidth={1.75} className="text-ink-3" />;
}
