import { createContext, useContext, useMemo } from "react";
import { useStore } from "zustand";
import type { WorkspaceState, WorkspaceStore } from "../../live/workspace.store";
import type { ChatSummary } from "../../wire/types";
import { sorted } from "./chats.logic";

export const WorkspaceContext = createContext<WorkspaceStore | null>(null);

export function useWorkspace(): WorkspaceStore {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error("nobody is signed in here");
  return workspace;
}

export function useWorkspaceState<T>(select: (state: WorkspaceState) => T): T {
  return useStore(useWorkspace().store, select);
}

/** All chats, newest activity first. */
export function useChats(): readonly ChatSummary[] {
  const chats = useWorkspaceState((s) => s.chats);
  return useMemo(() => sorted(chats.values()), [chats]);
}
