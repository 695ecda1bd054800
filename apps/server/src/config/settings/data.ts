import { parseSecretsKey } from "@minutes/core/webhook-settings";
import { parseDatabaseUrl } from "@minutes/db/database-url";
import { z } from "zod";
import { choice, count, list, onOff, type SettingsGroup, text } from "./rules.js";

const postgresUrl = z.string().refine((url) => parseDatabaseUrl(url) !== null);

const secretsKeys = list
  .transform((values) => values.map(parseSecretsKey))
  .refine((keys): keys is Uint8Array[] => keys.length > 0 && !keys.includes(null));

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };
/** A time such as 30m, 12h or 7d, in seconds. */
const period = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/)
  .transform((value) => Number.parseInt(value, 10) * (UNITS[value.at(-1) ?? ""] ?? 0));

export const DATA = {
  title: "Data",
  settings: {
    DATA_DIR: {
      schema: text.default("./data"),
      must: "a directory for the embedded database",
      text: "Directory of the embedded database. One process at a time can open it.",
    },
    DATABASE_URL: {
      schema: postgresUrl.optional(),
      must: "a PostgreSQL address such as postgres://user:password@host:5432/minutes",
      text: "PostgreSQL address; replaces the embedded database.",
      example: "postgres://user:password@host:5432/minutes",
    },
    DATABASE_DIRECT_URL: {
      schema: postgresUrl.optional(),
      must: "the database's own PostgreSQL address, where DATABASE_URL is a connection pooler's",
      text: "The database's own address if `DATABASE_URL` is a pooler's ([scaling](scaling.md)).",
      example: "postgres://user:password@host:5432/minutes",
    },
    DATABASE_STATEMENTS: {
      ...choice("named", "unnamed"),
      schema: choice("named", "unnamed").schema.default("named"),
      text: "`unnamed` for a pooler that loses prepared statements.",
    },
    DATABASE_POOL: {
      ...count("connections", 1, 1000, 10),
      text: "Maximum connections to PostgreSQL per process. Background work has up to three more.",
    },
    DEMO: {
      ...onOff,
      schema: onOff.schema.default("on"),
      text: "`off` leaves an empty embedded database empty. Off by default unless `HOST` is loopback.",
    },
    SECRETS_KEY: {
      schema: secretsKeys.optional(),
      must: "32 random bytes in base64 (openssl rand -base64 32), older keys behind it after commas",
      text: "Encrypts webhook secrets: `openssl rand -base64 32`. PostgreSQL needs one for webhooks.",
      unset: "next to the data",
      example: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    },
    BACKUP_DIR: {
      schema: text.optional(),
      must: "a directory for backups",
      text: "Directory for backups of the embedded database ([backup](backup.md)).",
      example: "/var/backups/minutes",
    },
    BACKUP_EVERY: {
      schema: period.optional(),
      must: "a time such as 30m, 12h or 1d",
      text: "Time between two backups, such as `12h` or `1d`.",
      example: "1d",
    },
    BACKUP_KEEP: { ...count("backups", 1, 10_000, 7), text: "Number of backups to keep." },
    BACKUP_PASSPHRASE: {
      schema: z.string().min(12).optional(),
      must: "at least 12 characters",
      text: "Encrypts backups.",
      example: "at least 12 characters",
    },
    RECORDING_DAYS: {
      ...count("days", 1, 3650, 30),
      text: "Days in which a recording can be completed; then it is deleted.",
    },
    VERSION_DAYS: { ...count("days", 1, 36_500, 400), text: "Days to keep earlier versions of meetings." },
    AUDIT_LOG_DAYS: { ...count("days", 1, 36_500, 365), text: "Days to keep the audit log." },
  },
} as const satisfies SettingsGroup;
