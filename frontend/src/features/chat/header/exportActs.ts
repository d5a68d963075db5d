import { FileText } from "lucide-react";
import { t } from "../../../messages/t";
import type { Act } from "../../../ui/ActionMenu";

const formats = ["md", "json", "html"] as const;

/** Takes the chat along as a file. */
export function exportActs(chat: string): readonly Act[] {
  return formats.map((format) => ({
    key: `export-${format}`,
    name: t(`export.${format}`),
    icon: FileText,
    onAct: () => {
      const link = document.createElement("a");
      link.href = `/api/chats/${chat}/export?format=${format}`;
      link.download = "";
      link.click();
    },
  }));
}
