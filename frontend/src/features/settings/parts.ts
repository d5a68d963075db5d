import {
  ChartNoAxesColumn,
  HardDrive,
  Keyboard,
  KeyRound,
  type LucideIcon,
  ShieldCheck,
  UserRound,
} from "lucide-react";

export const parts = ["you", "account", "keyboard", "permissions", "usage", "storage"] as const;
export type Part = (typeof parts)[number];

export const partNames = {
  you: "settings.you",
  account: "settings.account",
  keyboard: "settings.keyboard",
  permissions: "permissions",
  usage: "settings.usage",
  storage: "settings.storage",
} as const;

export const partIcons: Readonly<Record<Part, LucideIcon>> = {
  you: UserRound,
  account: KeyRound,
  keyboard: Keyboard,
  permissions: ShieldCheck,
  usage: ChartNoAxesColumn,
  storage: HardDrive,
};

/** What concerns the person, and what the server. */
export const partGroups = [
  { name: "settings.person", parts: ["you", "account", "keyboard", "permissions"] },
  { name: "settings.server", parts: ["usage", "storage"] },
] as const;
