import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { settingsQuery } from "../../api/queries";
import { changeSettings } from "../../api/settings";
import type { Settings, SettingsPatch } from "../../wire/types";

/** The person's own settings. A change shows at once, and goes back if the server does not take it. */
export function useSettings() {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery({ ...settingsQuery, refetchOnMount: "always" });
  const key = settingsQuery.queryKey;
  const { mutate, isError: refused } = useMutation({
    mutationFn: changeSettings,
    onMutate: async (part: SettingsPatch) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<Settings>(key);
      if (before !== undefined) client.setQueryData(key, { ...before, ...part });
      return before;
    },
    onSuccess: (now) => client.setQueryData(key, now),
    onError: (_error, _part, before) => client.setQueryData(key, before),
  });
  return { settings: data, failed: isError, again: () => void refetch(), change: mutate, refused };
}
