import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../api/queries";

/** Whether the person may send to chats and change them; the server has the last word. */
export function useMayWrite(): boolean {
  return useQuery(meQuery).data?.role !== "viewer";
}
