import { LIMITS } from "@minutes/contract";
import { parseNetwork } from "@minutes/core/webhook-settings";
import { hasUnencodedCredentials } from "@minutes/db/database-url";
import { z } from "zod";
import { count, httpUrl, isLoopback, list, onOff, port, type SettingsGroup, text } from "./rules.js";

const origins = list.refine((values) =>
  values.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
);

/** Number of proxies in front of the server, or their networks. */
const proxies = z
  .string()
  .refine(
    (value) => /^\d$/.test(value) || value.split(",").every((part) => parseNetwork(part.trim()) !== null),
  )
  .transform((value) => (/^\d$/.test(value) ? Number(value) : value.split(",").map((part) => part.trim())));

/** The sign-in methods that an installation can offer. */
const WAYS_TO_SIGN_IN = ["password", "link", "passkey", "oidc"] as const;
const isWay = (value: string): value is (typeof WAYS_TO_SIGN_IN)[number] =>
  (WAYS_TO_SIGN_IN as readonly string[]).includes(value);
const waysToSignIn = list.refine((values) => values.length > 0 && values.every(isWay));

/** Returns true for an https URL, and for http on this machine, as in tests. */
const isIssuer = (value: string): boolean => {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, search, hash } = new URL(value);
  return (
    (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) && search === "" && hash === ""
  );
};

export const HTTP = {
  title: "HTTP",
  settings: {
    PORT: {
      ...port,
      schema: port.schema.default(3000),
      text: "Port to listen on. If unset and in use on loopback, the next free port.",
    },
    HOST: {
      schema: text.default("127.0.0.1"),
      must: "an address to listen on",
      text: "Address to listen on.",
    },
    PUBLIC_URL: {
      schema: httpUrl
        .refine((url) => URL.canParse(url) && /^https?:\/\/[^/?#]*\/?$/i.test(url))
        .transform((url) => new URL(url).origin)
        .optional(),
      must: "the address at which people reach the service, without a path, such as https://minutes.example.com",
      text: "`https://…` address at which people reach the installation; used in links, cookies and e-mails.",
      unset: "this machine",
      example: "https://minutes.example.com",
    },
    TRUST_PROXY: {
      schema: proxies.optional(),
      must: "the number of proxies before the server from 0 to 9, or their networks such as 10.0.0.0/8",
      text: "Number of proxies in front of the server, or their networks. Their `X-Forwarded-For` is believed ([security](security.md)).",
      example: "1",
    },
    STOP_DELAY: {
      ...count("seconds", 0, 300, 0),
      text: "Seconds to keep serving after SIGTERM while `/ready` is 503 ([operations](operations.md#stop)).",
    },
    STOP_TIMEOUT: {
      ...count("seconds", 5, 300, 35),
      text: "Seconds after `STOP_DELAY` within which the process ends, whatever hangs. A webhook delivery can take 30.",
    },
    CORS_ORIGINS: {
      schema: origins.default([]),
      must: "a comma-separated list of origins such as https://app.example.com",
      text: "Comma-separated origins of web pages that can call the API.",
      example: "https://app.example.com",
    },
    RATE_LIMIT_PER_MINUTE: {
      ...count("requests", 1, 1_000_000_000, LIMITS.ratePerMinute),
      text: "Requests per minute and user or workspace.",
    },
    INGEST_LIMIT_PER_MINUTE: {
      ...count("requests", 1, 1_000_000_000, LIMITS.ingestPerMinute),
      text: "Ingest calls per minute and workspace ([ingest](ingest.md)).",
    },
    MINUTES_COMMAND: {
      schema: text.optional(),
      must: "a command",
      text: "How `minutes` is run here, as the start and the sign-in page show it.",
      unset: "`npx -y pnpm@10 minutes` in a clone, otherwise `minutes`",
      example: "docker exec minutes /nodejs/bin/node /app/server/bin/minutes.js",
    },
    CONSOLE: { ...onOff, schema: onOff.schema.default("on"), text: "`off` serves no console." },
  },
} as const satisfies SettingsGroup;

export const SIGN_IN = {
  title: "Sign-in and e-mail",
  settings: {
    SIGN_IN: {
      schema: waysToSignIn.default([...WAYS_TO_SIGN_IN]),
      must: `a comma-separated list of ${WAYS_TO_SIGN_IN.join(", ")}`,
      text: "Ways to sign in. `link` needs `SMTP_URL`, `oidc` needs `OIDC_ISSUER`.",
    },
    OIDC_ISSUER: {
      schema: z.string().refine(isIssuer).optional(),
      must: "the https address of an OpenID Connect provider, such as https://login.example.com",
      text: "OpenID Connect provider, `https://…` ([console](console.md#company-accounts)).",
      example: "https://login.example.com",
    },
    OIDC_CLIENT_ID: {
      schema: text.optional(),
      must: "the id of this installation at the OpenID Connect provider",
      text: "Client ID registered with the provider.",
      example: "minutes",
    },
    OIDC_CLIENT_SECRET: {
      schema: text.optional(),
      must: "the secret of this installation at the OpenID Connect provider",
      text: "Client secret registered with the provider. Set all three together.",
      example: "replace-me",
    },
    OIDC_WORKSPACE: {
      schema: z
        .string()
        .regex(/^ws_\w+$/)
        .optional(),
      must: "the id of the workspace that new people join, as `minutes workspaces list` shows it",
      text: "ID of the workspace that people without an account join. Without it they are refused.",
      example: "ws_id",
    },
    AUTH_OAUTH: {
      ...onOff,
      schema: onOff.schema.default("on"),
      text: "`off` turns off sign-in for assistants ([assistants](assistants.md#sign-in)). It is on if `PUBLIC_URL` is https.",
    },
    SMTP_URL: {
      schema: z
        .string()
        .refine((url) => URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol))
        .refine((url) => !hasUnencodedCredentials(url))
        .optional(),
      must: "a mail server's address such as smtp://user:password@host:587",
      text: "Mail server for links, invitations and notices.",
      example: "smtp://user:password@host:587",
    },
    SMTP_FROM: {
      schema: z
        .string()
        .regex(/^[^\r\n@]*@[^\r\n]+$/)
        .default("Minutes <minutes@localhost>"),
      must: "the sender of e-mails such as Minutes <minutes@example.com>",
      text: "Sender of e-mails.",
      example: "Minutes <minutes@example.com>",
    },
  },
} as const satisfies SettingsGroup;
