import { getFaultCode } from "@minutes/db";

const FILES: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  ENOENT: "no such file",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOTDIR: "not a directory",
  EEXIST: "not a directory",
  ENOSPC: "the disk is full",
  EISDIR: "it is a directory",
};

/** Describes why a file or folder can't be used; null for another fault. */
export function describeFileFault(error: unknown): string | null {
  const reason = FILES[getFaultCode(error) ?? ""];
  const path = (error as { path?: unknown } | null)?.path;
  return typeof path === "string" && reason ? `Can't use ${path}: ${reason}.` : null;
}
