import { getFaultCode } from "@minutes/db";

const FILES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  ENOENT: "no such file",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "not a directory",
  EEXIST: "not a directory",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the disk or this user's limits allow no larger file",
  EISDIR: "it is a directory",
};

/** Describes why a file or folder can't be used; null for another fault. */
export function describeFileFault(error: unknown): string | null {
  const reason = FILES[getFaultCode(error) ?? ""];
  const path = (error as { path?: unknown } | null)?.path;
  if (typeof path === "string" && reason) return `Can't use ${path}: ${reason}.`;
  // What fails while it is written has no path.
  return (error as { syscall?: unknown } | null)?.syscall === "write" && reason
    ? `A file can't be written: ${reason}.`
    : null;
}
