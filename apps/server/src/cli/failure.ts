import { ApiError, toErrorResponse } from "@minutes/core";
import {
  DataDirError,
  DataDirLockedError,
  getFaultCode,
  isUnavailable,
  LayoutError,
  MigrationLockedError,
  PoolerError,
  SchemaNewerError,
  UnfinishedMoveError,
} from "@minutes/db";
import { BackupError } from "../backup/format.js";
import { SettingsError } from "../env.js";
import { ListenError } from "../listen.js";
import { DownloadError } from "../models/download.js";
import { MoveError } from "../move/errors.js";
import { NoDatabaseError } from "../operator/open.js";
import { unwrap } from "../operator/refusal.js";

/** What the process ends with: 0 done, 1 the operation failed, 2 wrong usage or settings. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command that can't be run as it was given; the message says why. */
export class UsageError extends Error {
  override name = "UsageError";
}

const FILES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  ENOENT: "there is no such file",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "not a directory",
  EEXIST: "not a directory",
  ENOSPC: "the disk is full",
  EISDIR: "it is a directory",
};

const DATABASE: Readonly<Record<string, string>> = {
  "28P01": "PostgreSQL refuses the user or password in DATABASE_URL.",
  "28000": "PostgreSQL refuses the user in DATABASE_URL.",
  "3D000": "The database that DATABASE_URL names does not exist. Create it first.",
  "08P01":
    "The server in DATABASE_URL refuses Minutes' session settings: it is probably a connection pooler. Set DATABASE_DIRECT_URL to the database's own address.",
  "42501":
    "The database user may not create the tables. Grant it CREATE on the database and its public schema.",
  "55P03":
    "A table or row has been in use for too long, such as by a backup. Wait for its end, and try again.",
};

/** Describes an error to the person at the command line: sentences without a stack, and the exit code. */
export function toFailure(thrown: unknown): { message: string; exitCode: number } {
  const error = unwrap(thrown);
  const failed = (message: string) => ({ message, exitCode: EXIT.failed });
  if (error instanceof SettingsError || error instanceof UsageError) {
    return { message: error.message, exitCode: EXIT.usage };
  }
  const known = [
    ApiError,
    BackupError,
    NoDatabaseError,
    DataDirError,
    DataDirLockedError,
    DownloadError,
    LayoutError,
    MigrationLockedError,
    PoolerError,
    SchemaNewerError,
    UnfinishedMoveError,
    MoveError,
    ListenError,
  ];
  if (known.some((type) => error instanceof type)) return failed((error as Error).message);

  const code = getFaultCode(error) ?? "";
  const path = (error as { path?: unknown } | null)?.path;
  if (typeof path === "string" && FILES[code]) return failed(`Can't use ${path}: ${FILES[code]}.`);
  if (DATABASE[code]) return failed(DATABASE[code]);
  if (isUnavailable(error)) {
    return failed(`The database can't be reached (${code}). Check DATABASE_URL, and that PostgreSQL runs.`);
  }
  return failed(`Unexpected fault: ${toErrorResponse(error).fault ?? "unknown"}`);
}
