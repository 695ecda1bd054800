import { verifySmtp } from "@minutes/core";
import { requireDatabaseUrl } from "@minutes/db";
import type { Config } from "../../config/config.js";
import { toServerUrl } from "../../config/public-url.js";
import { isLoopback } from "../../config/settings/rules.js";
import { askServer } from "../operator/ask-server.js";
import { type Check, fail, mention, ok, warn } from "./check.js";

/** Values of `sslmode` that verify the server's certificate. */
const VERIFIED = ["verify-full", "verify-ca"];

/** Warns about unverified network connections to PostgreSQL and the mail server; mentions that there is none. */
export function checkTransport(
  config: Pick<Config, "SMTP_URL"> & Partial<Pick<Config, "DATABASE_URL" | "DATABASE_DIRECT_URL">>,
): Check[] {
  return [
    ...checkPostgres("DATABASE_URL", config.DATABASE_URL),
    ...checkPostgres("DATABASE_DIRECT_URL", config.DATABASE_DIRECT_URL),
    ...checkMail(config.SMTP_URL),
  ];
}

function checkPostgres(setting: string, address: string | undefined): Check[] {
  if (address === undefined) return [];
  const name = setting === "DATABASE_URL" ? "Database TLS" : "Direct TLS";
  const { url, hosts } = requireDatabaseUrl(address);
  if (hosts.every((host) => isLocal(new URL(`postgres://${host}`))))
    return [ok(name, "not needed: the server is on this machine.")];
  const mode = url.searchParams.get("sslmode") ?? "";
  if (VERIFIED.includes(mode) || (mode === "require" && url.searchParams.has("sslrootcert")))
    return [ok(name, "verified.")];
  return [warn(name, `the server is not verified: add ?sslmode=verify-full to ${setting}.`)];
}

function checkMail(address: string | undefined): Check[] {
  if (address === undefined)
    return [
      mention(
        "Mail",
        "by these settings none is sent: set SMTP_URL for sign-in links, invitations and notices of failed webhooks and expiring keys.",
      ),
    ];
  const name = "Mail TLS";
  const url = new URL(address);
  if (isLocal(url)) return [ok(name, "not needed: the server is on this machine.")];
  const required = url.protocol === "smtps:" || url.searchParams.get("requireTLS") === "true";
  const verified = url.searchParams.get("tls.rejectUnauthorized") !== "false";
  if (required && verified) return [ok(name, "verified.")];
  return [
    warn(name, "the server is not verified: use smtps:// in SMTP_URL, or add ?requireTLS=true for STARTTLS."),
  ];
}

/** Connects to the mail server, and warns of a sender that other servers refuse. */
export async function checkMailServer({
  SMTP_URL: url,
  SMTP_FROM: from,
}: Pick<Config, "SMTP_URL" | "SMTP_FROM">): Promise<Check[]> {
  if (url === undefined) return [];
  const name = "Mail";
  const answer = await verifySmtp(url).then(
    () => ok(name, "the server answers."),
    (error: unknown) => warn(name, describeMailFault(error)),
  );
  if (!/@localhost\W*$/.test(from)) return [answer];
  return [answer, warn(name, `the sender is ${from}, which most servers refuse: set SMTP_FROM.`)];
}

const describeMailFault = (error: unknown): string =>
  (error as { code?: unknown }).code === "EAUTH"
    ? "the server refuses the user or password in SMTP_URL."
    : "the server can't be reached, so no mail is sent: check SMTP_URL, and that it is running.";

/** Returns true for this machine: a loopback address, or no host, which means a Unix socket. */
const isLocal = ({ hostname }: URL): boolean => hostname === "" || isLoopback(hostname);

/** Warns if a running server receives `X-Forwarded-For` without TRUST_PROXY, or if its database's disk is full. */
export async function checkReady({ HOST, PORT }: Pick<Config, "HOST" | "PORT">): Promise<Check[]> {
  const { forwardedFor, disk } = (await askServer(toServerUrl(HOST, PORT), "/ready")) ?? {};
  return [...(forwardedFor === "ignored" ? [IGNORED] : []), ...(disk === "full" ? [FULL] : [])];
}

const IGNORED = warn(
  "Proxy",
  "requests have X-Forwarded-For, which is ignored, so all clients share one address and its limits: if there is a proxy in front of this server, set TRUST_PROXY.",
);

const FULL = fail(
  "Disk",
  "in the last five minutes a call failed because PostgreSQL's disk is full: free up space on it.",
);
