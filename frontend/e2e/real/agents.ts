import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daemon } from "../daemon";

const folder = fileURLToPath(new URL("../../../.cache/agents/bin", import.meta.url));

/** A real agent, as it is set up to talk to the scripted model. */
export type RealAgent = {
  readonly id: string;
  readonly name: string;
  /** What it needs in its environment. */
  readonly env: (model: string) => Readonly<Record<string, string>>;
  /** A file in its home, by its path there. */
  readonly file?: (model: string) => readonly [path: string, text: string];
  /** A scenario in which it asks leave in Code mode. */
  readonly asks: string;
  /** The mode in which it asks questions. */
  readonly questions: string;
  /** Where it looks for skills in its home. */
  readonly skills: string;
  /** It goes on by itself once its plan was accepted. */
  readonly carriesOut: boolean;
};

export const realAgents: readonly RealAgent[] = [
  {
    id: "claude",
    name: "Claude Code",
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-scripted",
      CLAUDE_CODE_MAX_RETRIES: "1",
      IS_SANDBOX: "1",
    }),
    asks: "shell-touch",
    questions: "code",
    skills: ".claude/skills",
    carriesOut: false,
  },
  {
    id: "codex",
    name: "Codex",
    env: () => ({ SCRIPTED_KEY: "sk-scripted" }),
    file: (model) => [
      ".codex/config.toml",
      [
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'env_key = "SCRIPTED_KEY"',
        'wire_api = "responses"',
        "request_max_retries = 1",
        "stream_max_retries = 1",
        "",
      ].join("\n"),
    ],
    asks: "write-outside",
    questions: "plan",
    skills: ".codex/skills",
    carriesOut: true,
  },
  {
    id: "kimi",
    name: "Kimi Code",
    env: (model) => ({
      KIMI_MODEL_NAME: "scripted-model",
      KIMI_MODEL_API_KEY: "sk-scripted",
      KIMI_MODEL_BASE_URL: `${model}/v1`,
    }),
    file: () => [".kimi-code/config.toml", "[loop_control]\nmax_attempts_per_step = 2\n"],
    asks: "shell-touch",
    questions: "code",
    skills: ".kimi-code/skills",
    carriesOut: false,
  },
];

/** Starts a daemon that has the real agents, each talking to the model, with what else its settings have. */
export async function startWithRealAgents(model: string, more: readonly string[] = []): Promise<Daemon> {
  const settings = realAgents.flatMap((agent) => {
    const path = process.env[`SIGNALBOX_${agent.id.toUpperCase()}_PATH`] ?? join(folder, agent.id);
    if (!existsSync(path)) throw new Error(`there is no ${agent.name} at ${path}: run scripts/real-agents`);
    return [
      `[providers.${agent.id}]`,
      `path = ${JSON.stringify(path)}`,
      `[providers.${agent.id}.env]`,
      ...Object.entries(agent.env(model)).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
      "",
    ];
  });
  const daemon = await Daemon.start({ settings: [...settings, ...more].join("\n") });
  for (const agent of realAgents) {
    const file = agent.file?.(model);
    if (file === undefined) continue;
    const path = join(daemon.dir, file[0]);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, file[1], { mode: 0o600 });
  }
  return daemon;
}
