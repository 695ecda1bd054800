import { ApiError, toErrorResponse } from "@minutes/core";
import { ExplainedError, getFaultCode, isTlsFault, isUnavailable, UnusableDirectoryError } from "@minutes/db";
import { SettingsError } from "../../config/config.js";
import { describeFileFault } from "../../operations/file-fault.js";
import { DestinationError } from "../../operations/move/endpoint.js";
import { unwrap } from "../../operations/refusal.js";
import { EXIT, UsageError } from "./exit.js";

/** Option of `move` with the address of the destination. */
const DESTINATION = "--to";

/** Faults of opening the database at an address, by its code; `place` is the setting or option with the address. */
const ADDRESS: Readonly<Record<string, (place: string) => string>> = {
  "28P01": (place) => `PostgreSQL refuses the user or password in ${place}.`,
  "28000": (place) => `PostgreSQL refuses the user in ${place}.`,
  "3D000": (place) => `The database in ${place} does not exist. Create it first.`,
  "42704": (place) =>
    `PostgreSQL doesn't know a parameter in ${place}. After the "?" write only sslmode, sslrootcert, or PostgreSQL's own settings.`,
  "08P01": (place) =>
    `The server in ${place} refuses Minutes' session settings: it is probably a connection pooler. ${
      place === DESTINATION ? "Give" : "Set DATABASE_DIRECT_URL to"
    } the database's own URL.`,
};

const DATABASE: Readonly<Record<string, string>> = {
  "42501":
    "The database user can't do this. Use the user who owns the database, or grant the rights in docs/install.md. " +
    "A user without CREATE can start once the owner has run `minutes migrate`.",
  "3F000": "The database user's search_path has no schema that exists. Reset it, so that it contains public.",
  "57014": "PostgreSQL canceled a statement that took too long, or waited too long for a lock. Try again.",
  "25006":
    "The database is read-only: it is a standby, or default_transaction_read_only is on. Use the address of the primary.",
  "53300":
    "The database or its user has no connections left. Raise max_connections or the user's CONNECTION LIMIT, or lower DATABASE_POOL.",
  "53100": "The database's disk is full. Free up space and try again.",
  "58030":
    "The database can't read or write its files; the disk is probably full. Free up space and try again.",
  "40P01": "Other processes changed the same rows at the same time. Run the command again.",
  "40001": "Other processes changed the same rows at the same time. Run the command again.",
  "55P03":
    "A table or row has been locked for too long, for example by a backup. Wait until it has finished, and try again.",
};

/** Returns true if PostgreSQL refused a parameter of an address; other unknown objects have the same code. */
const namesParameter = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message.startsWith("unrecognized configuration parameter") || namesParameter(error.cause));

/** Converts an error to sentences without a stack and an exit code. */
export function toFailure(thrown: unknown): { message: string; exitCode: number } {
  const opened = unwrap(thrown);
  const [error, place] =
    opened instanceof DestinationError ? [opened.cause, DESTINATION] : [opened, "DATABASE_URL"];
  const failed = (message: string) => ({ message, exitCode: EXIT.failed });
  const isWrongSetting = error instanceof SettingsError || error instanceof UnusableDirectoryError;
  if (isWrongSetting || error instanceof UsageError) return { message: error.message, exitCode: EXIT.usage };
  if (error instanceof ApiError || error instanceof ExplainedError) return failed(error.message);

  const code = getFaultCode(error) ?? "";
  const file = describeFileFault(error);
  if (file !== null) return failed(file);
  if (ADDRESS[code] && (code !== "42704" || namesParameter(error))) return failed(ADDRESS[code](place));
  if (DATABASE[code]) return failed(DATABASE[code]);
  if (isTlsFault(error)) {
    return failed(
      `The TLS certificate of the server in ${place} isn't accepted (${code}). For a private CA, add ` +
        "sslrootcert=<file with its certificate>; for another name than the address has, also sslmode=verify-ca.",
    );
  }
  if (isUnavailable(error)) {
    return failed(`The database can't be reached (${code}). Check ${place}, and that PostgreSQL is running.`);
  }
  return failed(`Unexpected fault: ${toErrorResponse(error).fault ?? "unknown"}`);
}
