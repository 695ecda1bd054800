/** Former names of commands, which still work, with their present ones. */
const FORMER: Readonly<Record<string, string>> = {
  "-V": "--version",
  "erase-person": "people erase",
  "share list": "shares list",
  "share meeting": "shares create",
  "share tag": "shares create",
  "unshare meeting": "shares delete",
  "unshare tag": "shares delete",
  "users add": "users create",
  "users remove": "users delete",
  "workspaces add": "workspaces create",
  "workspaces plan": "workspaces set-plan",
  "workspaces remove": "workspaces delete",
};

/** Replaces a former name of a command by its present one. */
export function renameFormer(args: readonly string[]): string[] {
  for (const words of [1, 2]) {
    const present = FORMER[args.slice(0, words).join(" ")];
    if (present !== undefined) return [...present.split(" "), ...args.slice(words)];
  }
  return [...args];
}
