/**
 * An error whose message is for the operator: what is wrong and what to do. The command line prints it without a stack.
 * Extend it for errors that code handles differently.
 */
export class ExplainedError extends Error {
  override name = "ExplainedError";
}

/** A directory that a setting names can't be used. */
export class UnusableDirectoryError extends ExplainedError {
  override name = "UnusableDirectoryError";
}

const UNUSABLE: Readonly<Record<string, string>> = {
  EACCES: "this user can't write there",
  EPERM: "this user can't write there",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  ENOENT: "it can't be created there", // also what a recursive mkdir has for EROFS
  EEXIST: "it is a file, or below one",
  ENOTDIR: "it is a file, or below one",
};

/**
 * Explains that a directory can't be used for what a setting names it for; rethrows other errors.
 * @returns a handler for `catch`, which throws UnusableDirectoryError
 */
export const explainUnusable =
  (setting: "BACKUP_DIR" | "DATA_DIR", directory: string) =>
  (error: NodeJS.ErrnoException): never => {
    const reason = UNUSABLE[error.code ?? ""];
    if (reason === undefined) throw error;
    throw new UnusableDirectoryError(
      `${directory} can't be used as ${setting}: ${reason}. Correct that, or choose another ${setting}.`,
    );
  };

/** Driver and server error codes that mean "try again later". */
const UNAVAILABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "ENOENT",
  "EHOSTUNREACH",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "too many waiting", // heavy statements of one holder
  "PROTOCOL_VIOLATION", // driver: a reply that does not match its statement
  "08000",
  "08001",
  "08003",
  "08004",
  "08006", // connection exceptions
  "08P01",
  "26000", // protocol violation; a prepared statement missing in this session, as behind a pooler
  "28000",
  "28P01", // login refused: the user's password or rights changed
  "3D000", // no such database: it is being replaced
  "25006", // read-only: the server is a standby
  "25P03", // a transaction waited too long for its client
  "40001",
  "40P01", // serialization failure, deadlock
  "53100",
  "53200",
  "53300",
  "53400", // disk, memory, connections, configured limits
  "55P03",
  "57014", // lock or statement timeout
  "57P01",
  "57P02",
  "57P03",
  "57P05", // shutting down, crashed, starting
  "58000",
  "58030", // system and I/O errors
]);

/**
 * Returns the code of a database error, wherever the driver or Drizzle put it. Never the message, which can contain
 * data.
 */
export function getFaultCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return null;
}

/** Prefix of Citus's message, with the code of internal errors, when it lost a worker that the transaction wrote to. */
const LOST_WORKER = "failure on connection marked as essential";

function isLostWorker(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.message.startsWith(LOST_WORKER)) return true;
  return false;
}

/**
 * Where PostgreSQL detects that a table's columns changed after a statement was prepared. Its code is the generic "not
 * supported".
 */
const STALE_PLAN = { code: "0A000", routine: "RevalidateCachedQuery" };

/**
 * Returns true if a statement failed because its table changed, and the driver could not retry it: it was in a
 * transaction, or the table changed again.
 */
function isStalePlan(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, routine } = cause as { code?: unknown; routine?: unknown };
    if (code === STALE_PLAN.code && routine === STALE_PLAN.routine) return true;
  }
  return false;
}

const TLS_CODE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Returns true if a TLS connection failed, mostly because the server's certificate has expired or isn't trusted. */
export const isTlsFault = (error: unknown): boolean => TLS_CODE.test(getFaultCode(error) ?? "");

/** Returns true if the database is unavailable, busy or canceled the statement: a retry can succeed. */
export const isUnavailable = (error: unknown): boolean =>
  UNAVAILABLE.has(getFaultCode(error) ?? "") ||
  isTlsFault(error) ||
  isLostWorker(error) ||
  isStalePlan(error);

/** Returns true for a duplicate of a unique value. */
export const isUniqueViolation = (error: unknown): boolean => getFaultCode(error) === "23505";

/** Returns true if a referenced row does not exist or was deleted. */
export const isForeignKeyViolation = (error: unknown): boolean => getFaultCode(error) === "23503";
