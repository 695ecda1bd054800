import { resolve } from "node:path";
import type { AnswerModel, OidcSettings, TranscriberOptions } from "@minutes/core";
import { requireDatabaseUrl } from "@minutes/db/database-url";
import type { z } from "zod";
import { AUDIO } from "./settings/audio.js";
import { DATA } from "./settings/data.js";
import { HTTP, SIGN_IN } from "./settings/http.js";
import { LOGS } from "./settings/logs.js";
import { explainCredentials, isLoopback, type SettingsGroup } from "./settings/rules.js";
import { SEARCH } from "./settings/search.js";
import { WEBHOOKS } from "./settings/webhooks.js";

/** Invalid settings that prevent the start. The message has one sentence per setting. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** All settings in the order of docs/settings.md. */
export const GROUPS: readonly SettingsGroup[] = [HTTP, SIGN_IN, DATA, WEBHOOKS, SEARCH, AUDIO, LOGS];

/** All settings by name. Their rules and defaults exist only in `settings/`. */
export const SETTINGS = {
  ...HTTP.settings,
  ...SIGN_IN.settings,
  ...DATA.settings,
  ...WEBHOOKS.settings,
  ...SEARCH.settings,
  ...AUDIO.settings,
  ...LOGS.settings,
};

type Settings = typeof SETTINGS;

/** The installation's settings, parsed once and passed down. */
export type Config = { readonly [Name in keyof Settings]: z.output<Settings[Name]["schema"]> };

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that need another one. */
const NEEDS = [
  ["DATABASE_DIRECT_URL", "DATABASE_URL"],
  ["BACKUP_EVERY", "BACKUP_DIR"],
  ["OIDC_WORKSPACE", "OIDC_ISSUER"],
] as const;

/** Settings that are set together or not at all. */
const TOGETHER = [
  ["SUMMARISER_URL", "SUMMARISER_MODEL"],
  ["TRANSCRIBER_URL", "TRANSCRIBER_MODEL"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
] as const;

/**
 * Parses the settings of an environment. An empty variable counts as absent. Messages never contain values, which can be
 * passwords.
 * @throws SettingsError
 */
export function parseConfig(environment: Environment): Config {
  const wrong: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, { schema, must }]) => {
    const result = schema.safeParse(environment[name] || undefined);
    if (!result.success)
      wrong.push(explainCredentials(name, environment[name] ?? "") ?? `${name} must be ${must}.`);
    return [name, result.data];
  });
  for (const names of TOGETHER)
    if (new Set(names.map((name) => Boolean(environment[name]))).size > 1)
      wrong.push(`${formatList(names)} must be set together.`);
  for (const [name, needed] of NEEDS)
    if (environment[name] && !environment[needed]) wrong.push(`${name} needs ${needed}.`);
  const ways = (environment.SIGN_IN ?? "").split(",").map((way) => way.trim());
  if (environment.SIGN_IN && !ways.some((way) => worksFor(environment, way)))
    wrong.push(
      "SIGN_IN leaves no way to sign in: set SMTP_URL for link, set OIDC_ISSUER for oidc, or add password.",
    );
  if (environment.BACKUP_EVERY && environment.DATABASE_URL)
    wrong.push("BACKUP_EVERY is for the embedded database: back up PostgreSQL with pg_dump.");
  if (environment.DATABASE_STATEMENTS === "unnamed" && !environment.DATABASE_DIRECT_URL)
    wrong.push("DATABASE_STATEMENTS=unnamed needs DATABASE_DIRECT_URL.");
  if (wrong.length > 0) throw new SettingsError(wrong.join("\n"));
  const config = Object.fromEntries(entries) as Config;
  // Anyone who reads the terminal or log knows the sample's keys, so they must not be reachable from other machines.
  return environment.DEMO || isLoopback(config.HOST) ? config : { ...config, DEMO: "off" };
}

/** Returns false for a way to sign in that needs a setting which is missing. */
const worksFor = (environment: Environment, way: string): boolean =>
  way === "link" ? Boolean(environment.SMTP_URL) : way !== "oidc" || Boolean(environment.OIDC_ISSUER);

const formatList = (names: readonly string[]) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** Describes the configured database without user and password. */
export function describeData({ DATABASE_URL, DATA_DIR }: Pick<Config, "DATABASE_URL" | "DATA_DIR">): string {
  if (DATABASE_URL === undefined) return resolve(DATA_DIR);
  const { url, hosts } = requireDatabaseUrl(DATABASE_URL);
  return `PostgreSQL database ${decodeURIComponent(url.pathname.slice(1)) || "(default)"} on ${hosts.join(",") || url.searchParams.get("host") || "(default)"}`;
}

/** Returns the model that writes answers; undefined if none is configured, or if it may write none. */
export function toAnswerModel(config: Config): AnswerModel | undefined {
  const { SUMMARISER_URL: url, SUMMARISER_MODEL: model, SUMMARISER_KEY: key } = config;
  const { ANSWERS_PER_DAY: answersPerDay, ANSWER_TOKENS_PER_DAY: tokensPerDay } = config;
  if (!url || !model || answersPerDay === 0) return undefined;
  return { url, model, key, answersPerDay, tokensPerDay };
}

/** Returns the OpenID Connect provider; null if none is configured, or nobody may sign in with it. */
export function toOidcProvider(config: Config): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (!issuer || !clientId || !clientSecret || config.SIGN_IN?.includes("oidc") === false) return null;
  return { issuer, clientId, clientSecret, workspaceId: config.OIDC_WORKSPACE ?? null };
}

/** Returns the endpoint that transcribes recordings; null if none is configured. */
export function toTranscriber(config: Config): TranscriberOptions | null {
  const { TRANSCRIBER_URL: url, TRANSCRIBER_MODEL: model, TRANSCRIBER_KEY: key } = config;
  return url && model ? { url, model, key } : null;
}
