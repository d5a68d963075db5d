import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { checkAgents } from "../../api/calls";
import { agentsQuery } from "../../api/queries";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { AgentCards } from "./AgentCards";

/** The agents of this server, and a way to have them looked at again. */
export function AgentSection() {
  const client = useQueryClient();
  // Whoever comes back from a terminal may have signed in to one there.
  const { data, isError } = useQuery({ ...agentsQuery, refetchOnWindowFocus: "always" });
  const check = useMutation({
    mutationFn: checkAgents,
    onSuccess: (list) => client.setQueryData(agentsQuery.queryKey, list),
  });
  const agents = data?.agents ?? [];
  const checking = check.isPending || agents.some((agent) => agent.status.state === "unknown");
  return (
    <section aria-labelledby="agents">
      <div className="flex items-baseline justify-between pb-1">
        <h2 id="agents" className="text-caption font-semibold text-ink-2">
          {t("agents")}
        </h2>
        <Button
          look="ghost"
          className="px-0 text-small text-accent"
          disabled={checking}
          onClick={() => check.mutate()}
        >
          {t(checking ? "agents.checking" : "agents.check")}
        </Button>
      </div>
      {isError || check.isError ? (
        <p role="alert" className="text-small text-stop">
          {t("agents.failed")}
        </p>
      ) : null}
      <AgentCards agents={agents} />
    </section>
  );
}
