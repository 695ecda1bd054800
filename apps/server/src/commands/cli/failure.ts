import { ApiError, toErrorResponse } from "@minutes/core";
import { ExplainedError, getFaultCode, isUnavailable, UnusableDirectoryError } from "@minutes/db";
import { SettingsError } from "../../config/config.js";
import { describeFileFault } from "../../operations/file-fault.js";
import { unwrap } from "../../operations/refusal.js";
import { EXIT, UsageError } from "./exit.js";

const DATABASE: Readonly<Record<string, string>> = {
  "28P01": "PostgreSQL refuses the user or password in DATABASE_URL.",
  "28000": "PostgreSQL refuses the user in DATABASE_URL.",
  "3D000": "The database in DATABASE_URL does not exist. Create it first.",
  "08P01":
    "The server in DATABASE_URL refuses Minutes' session settings: it is probably a connection pooler. Set DATABASE_DIRECT_URL to the database's own URL.",
  "42501": "The database user can't create tables. Grant it CREATE on the database and its public schema.",
  "53100": "The database's disk is full. Free up space and try again.",
  "58030":
    "The database can't read or write its files; the disk is probably full. Free up space and try again.",
  "40P01": "Other processes changed the same rows at the same time. Run the command again.",
  "40001": "Other processes changed the same rows at the same time. Run the command again.",
  "55P03":
    "A table or row has been locked for too long, for example by a backup. Wait until it has finished, and try again.",
};

/** Converts an error to sentences without a stack and an exit code. */
export function toFailure(thrown: unknown): { message: string; exitCode: number } {
  const error = unwrap(thrown);
  const failed = (message: string) => ({ message, exitCode: EXIT.failed });
  const isWrongSetting = error instanceof SettingsError || error instanceof UnusableDirectoryError;
  if (isWrongSetting || error instanceof UsageError) return { message: error.message, exitCode: EXIT.usage };
  if (error instanceof ApiError || error instanceof ExplainedError) return failed(error.message);

  const code = getFaultCode(error) ?? "";
  const file = describeFileFault(error);
  if (file !== null) return failed(file);
  if (DATABASE[code]) return failed(DATABASE[code]);
  if (isUnavailable(error)) {
    return failed(
      `The database can't be reached (${code}). Check DATABASE_URL, and that PostgreSQL is running.`,
    );
  }
  return failed(`Unexpected fault: ${toErrorResponse(error).fault ?? "unknown"}`);
}
