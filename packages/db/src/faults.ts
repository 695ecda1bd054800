/** Codes of drivers and servers that mean: not now, try again. */
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
  "PROTOCOL_VIOLATION", // the driver: a reply that does not fit its statement
  "08000",
  "08001",
  "08003",
  "08004",
  "08006", // connection exceptions
  "08P01",
  "26000", // protocol violation; a prepared statement that this session does not have, as behind a pooler
  "25006", // read-only: the server is a standby
  "40001",
  "40P01", // serialization failure, deadlock
  "53100",
  "53200",
  "53300",
  "53400", // disk, memory, connections, configured limits
  "55P03",
  "57014", // lock or statement took too long
  "57P01",
  "57P02",
  "57P03",
  "57P05", // shutting down, crashed, starting
  "58000",
  "58030", // system and I/O errors
]);

/** Returns the code of a database error, wherever the driver or Drizzle put it; never its message, which can hold data. */
export function getFaultCode(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return null;
}

/** How Citus begins to say that a worker was lost while a transaction wrote on it, with the code of internal errors. */
const LOST_WORKER = "failure on connection marked as essential";

function isLostWorker(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.message.startsWith(LOST_WORKER)) return true;
  return false;
}

/** Returns true when the database is away, busy or stopped the statement: the same call may work later. */
export const isUnavailable = (error: unknown): boolean =>
  UNAVAILABLE.has(getFaultCode(error) ?? "") || isLostWorker(error);

/** Returns true when a row that must be unique exists already. */
export const isUniqueViolation = (error: unknown): boolean => getFaultCode(error) === "23505";

/** Returns true when what a row refers to does not exist, or was deleted. */
export const isForeignKeyViolation = (error: unknown): boolean => getFaultCode(error) === "23503";
