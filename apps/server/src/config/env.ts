import { BlockList, isIP } from "node:net";
import { LIMITS } from "@minutes/contract";
import { DEFAULT_RETRY_DELAYS, PAUSE_POLICY, parseNetwork, parseSecretsKey, RETRIES } from "@minutes/core";
import { parseDatabaseUrl } from "@minutes/db";
import { z } from "zod";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Returns true if a host name or address is reachable only from this machine. IPv6 brackets are allowed. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  if (family === 0) return address === "localhost" || address.endsWith(".localhost");
  return LOOPBACK.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Invalid settings that prevent the start. The message has one sentence per setting. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);

/** Values separated by commas. */
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((value) => value.trim())
    .filter(Boolean),
);

const origins = list.refine((values) =>
  values.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
);

/** Number of proxies in front of the server, or their networks. */
const proxies = z
  .string()
  .refine((text) => /^\d$/.test(text) || text.split(",").every((part) => parseNetwork(part.trim()) !== null))
  .transform((text) => (/^\d$/.test(text) ? Number(text) : text.split(",").map((part) => part.trim())));

const DAY_SECONDS = 86_400;
const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: DAY_SECONDS };
/** A time such as 30m, 12h or 7d, in seconds. */
const period = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/)
  .transform((text) => Number.parseInt(text, 10) * (UNITS[text.at(-1) ?? ""] ?? 0));
const delays = list
  .refine((values) => values.length === RETRIES && values.every((value) => /^\d+(\.\d+)?$/.test(value)))
  .transform((values) => values.map(Number))
  .refine((values) => values.every((seconds) => seconds <= DAY_SECONDS));

/** The sign-in methods that an installation can offer. */
export const WAYS_TO_SIGN_IN = ["password", "link", "passkey", "oidc"] as const;
const isWay = (value: string): value is (typeof WAYS_TO_SIGN_IN)[number] =>
  (WAYS_TO_SIGN_IN as readonly string[]).includes(value);
const waysToSignIn = list.refine((values) => values.length > 0 && values.every(isWay));

/** Returns true for an https URL, and for http on this machine, as in tests. */
const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  return (
    (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) && search === "" && hash === ""
  );
};

const postgresUrl = z.string().refine((url) => parseDatabaseUrl(url) !== null);

const networks = list.refine((values) => values.every((value) => parseNetwork(value) !== null));

const secretsKeys = list
  .transform((values) => values.map(parseSecretsKey))
  .refine((keys): keys is Uint8Array[] => keys.length > 0 && !keys.includes(null));

/** The rule for each setting, used in error messages. Described in docs/settings.md. */
export const SETTINGS = {
  PORT: { schema: wholeNumber(0, 65_535).default(3000), must: "a port number from 0 to 65535" },
  HOST: { schema: z.string().min(1).default("127.0.0.1"), must: "an address to listen on" },
  STOP_DELAY: { schema: wholeNumber(0, 300).default(0), must: "a number of seconds from 0 to 300" },
  PUBLIC_URL: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      .transform((url) => new URL(url).origin)
      .optional(),
    must: "the address at which people reach the service, such as https://minutes.example.com",
  },
  SIGN_IN: {
    schema: waysToSignIn.default([...WAYS_TO_SIGN_IN]),
    must: `a comma-separated list of ${WAYS_TO_SIGN_IN.join(", ")}`,
  },
  OIDC_ISSUER: {
    schema: z.string().refine(isIssuer).optional(),
    must: "the https address of an OpenID Connect provider, such as https://login.example.com",
  },
  OIDC_CLIENT_ID: {
    schema: z.string().min(1).optional(),
    must: "the id of this installation at the OpenID Connect provider",
  },
  OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    must: "the secret of this installation at the OpenID Connect provider",
  },
  OIDC_WORKSPACE: {
    schema: z
      .string()
      .regex(/^ws_\w+$/)
      .optional(),
    must: "the id of the workspace that new people join, as `minutes workspaces list` shows it",
  },
  DATA_DIR: { schema: z.string().min(1).default("./data"), must: "a directory for the embedded database" },
  DATABASE_URL: {
    schema: postgresUrl.optional(),
    must: "a PostgreSQL address such as postgres://user:password@host:5432/minutes",
  },
  DATABASE_DIRECT_URL: {
    schema: postgresUrl.optional(),
    must: "the database's own PostgreSQL address, where DATABASE_URL is a connection pooler's",
  },
  DATABASE_STATEMENTS: { schema: z.enum(["named", "unnamed"]).default("named"), must: "named or unnamed" },
  DATABASE_POOL: { schema: wholeNumber(1, 1000).default(10), must: "a number of connections from 1 to 1000" },
  BACKUP_DIR: { schema: z.string().min(1).optional(), must: "a directory for backups" },
  BACKUP_EVERY: { schema: period.optional(), must: "a time such as 30m, 12h or 1d" },
  BACKUP_KEEP: { schema: wholeNumber(1, 10_000).default(7), must: "a number of backups from 1 to 10000" },
  BACKUP_PASSPHRASE: { schema: z.string().min(12).optional(), must: "at least 12 characters" },
  CONSOLE: { schema: z.enum(["on", "off"]).default("on"), must: "on or off" },
  DEMO: { schema: z.enum(["on", "off"]).default("on"), must: "on or off" },
  RATE_LIMIT_PER_MINUTE: {
    schema: wholeNumber(1, 1_000_000_000).default(LIMITS.ratePerMinute),
    must: "a number of requests from 1 to 1000000000",
  },
  INGEST_LIMIT_PER_MINUTE: {
    schema: wholeNumber(1, 1_000_000_000).default(LIMITS.ingestPerMinute),
    must: "a number of requests from 1 to 1000000000",
  },
  TRUST_PROXY: {
    schema: proxies.optional(),
    must: "the number of proxies before the server from 0 to 9, or their networks such as 10.0.0.0/8",
  },
  SUMMARISER_URL: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      .optional(),
    must: "the base address of an OpenAI-compatible API, such as https://llm.example.com/v1",
  },
  SUMMARISER_MODEL: { schema: z.string().min(1).optional(), must: "the name of the summariser's model" },
  SUMMARISER_KEY: { schema: z.string().min(1).optional(), must: "the summariser's API key" },
  CORS_ORIGINS: {
    schema: origins.default([]),
    must: "a comma-separated list of origins such as https://app.example.com",
  },
  SECRETS_KEY: {
    schema: secretsKeys.optional(),
    must: "32 random bytes in base64 (openssl rand -base64 32), older keys behind it after commas",
  },
  WEBHOOK_RETRY_DELAYS: {
    schema: delays.default([...DEFAULT_RETRY_DELAYS]),
    must: `${RETRIES} numbers of seconds between attempts, such as ${DEFAULT_RETRY_DELAYS.join(",")}`,
  },
  WEBHOOK_CONCURRENCY: {
    schema: wholeNumber(1, 1000).default(64),
    must: "a number of deliveries at once from 1 to 1000",
  },
  WEBHOOK_LOG_DAYS: { schema: wholeNumber(1, 3650).default(30), must: "a number of days from 1 to 3650" },
  WEBHOOK_PAUSE_FAILURES: {
    schema: wholeNumber(0, 1_000_000).default(PAUSE_POLICY.failures),
    must: "a number of failed attempts in a row from 1 to 1000000, or 0 for never",
  },
  WEBHOOK_PAUSE_HOURS: {
    schema: wholeNumber(0, 8_760).default(PAUSE_POLICY.hours),
    must: "a number of hours from 0 to 8760",
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    schema: networks.default([]),
    must: "a comma-separated list of networks such as 10.0.0.0/8",
  },
  WEBHOOK_CA_FILE: { schema: z.string().optional(), must: "a file of certificates in PEM form" },
  SMTP_URL: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol))
      .optional(),
    must: "a mail server's address such as smtp://user:password@host:587",
  },
  SMTP_FROM: {
    schema: z
      .string()
      .regex(/^[^\r\n@]*@[^\r\n]+$/)
      .default("Minutes <minutes@localhost>"),
    must: "the sender of e-mails such as Minutes <minutes@example.com>",
  },
  RECORDING_DAYS: { schema: wholeNumber(1, 3650).default(30), must: "a number of days from 1 to 3650" },
  AUDIT_LOG_DAYS: { schema: wholeNumber(1, 36_500).default(365), must: "a number of days from 1 to 36500" },
  SEARCH_LANGUAGE: {
    schema: z
      .string()
      .regex(/^[a-z_]+$/)
      .optional(),
    must: "a text-search configuration of the database such as english, german or simple",
  },
  EMBEDDINGS: {
    schema: z.enum(["builtin", "endpoint", "local", "off"]).optional(),
    must: "builtin, endpoint, local or off",
  },
  EMBEDDINGS_URL: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      .optional(),
    must: "the address of an OpenAI-compatible API such as http://127.0.0.1:11434/v1",
  },
  EMBEDDINGS_MODEL: { schema: z.string().min(1).optional(), must: "the name of an embedding model" },
  EMBEDDINGS_KEY: { schema: z.string().min(1).optional(), must: "the key of the embeddings endpoint" },
  EMBEDDINGS_MIRROR: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      .default("https://huggingface.co"),
    must: "the address from which models are downloaded, such as https://huggingface.co",
  },
  EMBEDDINGS_DIR: { schema: z.string().min(1).optional(), must: "a directory for downloaded models" },
  EMBEDDINGS_LIST: { schema: z.string().min(1).optional(), must: "a JSON file of further models" },
  LOG_LEVEL: {
    schema: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info"),
    must: "fatal, error, warn, info, debug or silent",
  },
  LOG_FORMAT: { schema: z.enum(["json", "pretty"]).optional(), must: "json or pretty" },
  ACCESS_LOG: { schema: z.enum(["on", "off"]).default("off"), must: "on or off" },
  METRICS_PORT: { schema: wholeNumber(0, 65_535).optional(), must: "a port number from 0 to 65535" },
  METRICS_HOST: { schema: z.string().min(1).default("127.0.0.1"), must: "an address to listen on" },
  METRICS_TOKEN: {
    schema: z
      .string()
      .regex(/^[\w.~+/=-]{16,}$/)
      .optional(),
    must: "at least 16 letters, digits or the signs of a bearer token (openssl rand -hex 32)",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z
      .string()
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
      .optional(),
    must: "the address of an OpenTelemetry collector such as http://127.0.0.1:4318",
  },
  SLOW_STATEMENT_MS: {
    schema: wholeNumber(1, 600_000).optional(),
    must: "a number of milliseconds from 1 to 600000",
  },
} as const;

type Settings = typeof SETTINGS;

/** The validated settings of the installation. */
export type Env = { readonly [Name in keyof Settings]: z.output<Settings[Name]["schema"]> };

/**
 * Reads the settings from the environment. An empty one counts as absent. Messages never contain values, which can be
 * passwords.
 * @throws SettingsError
 */
export function readEnv(source: Readonly<Record<string, string | undefined>>): Env {
  const wrong: string[] = [];
  const entries = Object.entries(SETTINGS).map(([name, { schema, must }]) => {
    const result = schema.safeParse(source[name] || undefined);
    if (!result.success) wrong.push(`${name} must be ${must}.`);
    return [name, result.data];
  });
  if (!source.SUMMARISER_URL !== !source.SUMMARISER_MODEL) {
    wrong.push("SUMMARISER_URL and SUMMARISER_MODEL must be set together.");
  }
  const provider = [source.OIDC_ISSUER, source.OIDC_CLIENT_ID, source.OIDC_CLIENT_SECRET];
  if (new Set(provider.map(Boolean)).size > 1) {
    wrong.push("OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.");
  }
  if (source.DATABASE_DIRECT_URL && !source.DATABASE_URL)
    wrong.push("DATABASE_DIRECT_URL needs DATABASE_URL.");
  if (source.DATABASE_STATEMENTS === "unnamed" && !source.DATABASE_DIRECT_URL)
    wrong.push("DATABASE_STATEMENTS=unnamed needs DATABASE_DIRECT_URL.");
  if (source.BACKUP_EVERY && !source.BACKUP_DIR) wrong.push("BACKUP_EVERY needs BACKUP_DIR.");
  if (source.OIDC_WORKSPACE && !source.OIDC_ISSUER) wrong.push("OIDC_WORKSPACE needs OIDC_ISSUER.");
  if (wrong.length > 0) throw new SettingsError(wrong.join("\n"));
  const env = Object.fromEntries(entries) as Env;
  // Anyone who reads the terminal or log knows the sample's keys, so they must not be reachable from other machines.
  return source.DEMO || isLoopback(env.HOST) ? env : { ...env, DEMO: "off" };
}
