import { t } from "../../messages/t";
import type { Agent, Attachment, Fault, Mode, ModePolicy, Selection } from "../../wire/types";

/** The most that one prompt may have, in bytes of UTF-8. */
const mostBytes = 1024 * 1024;

const modes: readonly Mode[] = ["chat", "plan", "code", "review", "debug", "full_auto"];

export const modeNames = {
  chat: "mode.chat",
  plan: "mode.plan",
  code: "mode.code",
  review: "mode.review",
  debug: "mode.debug",
  full_auto: "mode.full_auto",
} as const;

/** What the next prompt will use, with an agent that is there. */
export type Chosen = {
  readonly agent: Agent | null;
  readonly selection: Selection;
  readonly mode: Mode;
  readonly policy: ModePolicy | null;
};

/**
 * A real agent that is ready, or is just being looked at, before the demo, and the demo before one that is not
 * ready.
 */
export function defaultAgent(agents: readonly Agent[]): Agent | null {
  const ready = agents.filter((a) => a.status.state === "ready");
  const real = ready.find((a) => a.info.demo !== true) ?? agents.find((a) => a.status.state === "unknown");
  return real ?? ready[0] ?? agents[0] ?? null;
}

/** Settles what was chosen, what the chat used and what there is into one selection. */
export function settle(agents: readonly Agent[], chat: Selection, chosen: Selection): Chosen {
  const wanted = { ...chat, ...chosen };
  const agent = agents.find((a) => a.info.id === wanted.agent) ?? defaultAgent(agents);
  const mode = wanted.mode ?? "code";
  if (agent === null) return { agent, selection: { mode }, mode, policy: null };
  const { info } = agent;
  const own = info.id === wanted.agent;
  const model =
    own && info.models.some((m) => m.value === wanted.model) ? wanted.model : info.models[0]?.value;
  const effort = own && info.efforts.some((e) => e.value === wanted.effort) ? wanted.effort : undefined;
  const tier = own && info.tiers.some((e) => e.value === wanted.tier) ? wanted.tier : undefined;
  return {
    agent,
    mode,
    policy: info.modes.find((m) => m.mode === mode) ?? null,
    selection: {
      agent: info.id,
      mode,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(tier === undefined ? {} : { tier }),
    },
  };
}

const separator = "\n";

export function modelValue(agent: string, model: string): string {
  return `${agent}${separator}${model}`;
}

/** The selection that a picked model stands for. */
export function pickedModel(value: string): Selection {
  const [agent = "", model = ""] = value.split(separator);
  return model === "" ? { agent } : { agent, model };
}

/** An agent and its models, as they are offered. */
export type ModelGroup = {
  readonly agent: Agent;
  readonly models: readonly { readonly value: string; readonly name: string; readonly note: string }[];
  /** Why it cannot run, and one next step; empty when it can. */
  readonly why: string;
  readonly hint: string;
};

/** The agents and their models, as far as a name has the words; an agent that cannot run says why. */
export function modelGroups(agents: readonly Agent[], words = ""): readonly ModelGroup[] {
  const wanted = words.trim().toLowerCase();
  const has = (...names: readonly string[]) => names.some((name) => name.toLowerCase().includes(wanted));
  return agents.flatMap((agent): ModelGroup[] => {
    const { info, status } = agent;
    const all = info.models.length > 0 ? info.models : [{ value: "", name: t("model.default") }];
    const models = all
      .filter((m) => has(m.name, m.value, info.name))
      .map((m) => ({ value: modelValue(info.id, m.value), name: m.name, note: m.note ?? "" }));
    if (models.length === 0) return [];
    const ready = status.state === "ready";
    const why = ready ? "" : (status.message ?? t(`agent.${status.state}`));
    return [{ agent, models, why, hint: ready ? "" : (status.hint ?? "") }];
  });
}

/** What an agent can and cannot do beside answering, in a few words. */
export function abilities(agent: Agent): readonly { readonly can: boolean; readonly words: string }[] {
  const { images, forks, rewinds } = agent.info;
  return [
    { can: images === true, words: t(images === true ? "can.images" : "cannot.images") },
    { can: forks === true, words: t(forks === true ? "can.forks" : "cannot.forks") },
    { can: rewinds === true, words: t(rewinds === true ? "can.rewinds" : "cannot.rewinds") },
  ];
}

/** The modes that an agent offers; all of them before it is known. */
export function offeredModes(policies: readonly ModePolicy[]): readonly Mode[] {
  return policies.length === 0 ? modes : modes.filter((m) => policies.some((p) => p.mode === m));
}

/** The words for a prompt that was refused: what happened and what to do; the text is kept. */
export function refusalWords(fault: Fault): string {
  const known = {
    busy: "refused.busy",
    too_large: "refused.large",
    forbidden: "refused.forbidden",
    unauthorized: "refused.unauthorized",
    unavailable: "refused.unavailable",
  } as const;
  const isKnown = (code: string): code is keyof typeof known => code in known;
  const message =
    fault.message !== "" ? fault.message : t(isKnown(fault.code) ? known[fault.code] : "refused.other");
  return [message, fault.hint ?? "", t("refused.kept")].filter((part) => part !== "").join(" ");
}

/** Whether a file is one that browsers draw, and that cannot do anything. */
export function isPicture(file: Attachment): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(file.media);
}

/** Why a text cannot be sent, or "". */
export function unsendable(text: string): string {
  return new TextEncoder().encode(text).length > mostBytes ? t("refused.large") : "";
}
