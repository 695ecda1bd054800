import { AUDIT_GROUPS } from "@minutes/contract/audit-actions";
import { describeBrowser } from "../../components/words";

/** Choices of the filter by action: every group as a whole, then its actions. */
export const ACTION_CHOICES = Object.entries(AUDIT_GROUPS).map(([kind, { label, actions }]) => ({
  group: label,
  items: [
    { value: kind, label: `${label}: all` },
    ...Object.entries(actions).map(([action, words]) => ({ value: `${kind}.${action}`, label: words })),
  ],
}));

const METHODS: Readonly<Record<string, string>> = {
  password: "with a password",
  link: "with a link",
  passkey: "with a passkey",
  oidc: "with a company account",
  invitation: "with an invitation",
  setup: "with the set-up link",
};

/** Writes how somebody signed in, such as `with a passkey`. */
export const describeMethod = (method: string): string => METHODS[method] ?? `by ${method}`;

/** What an entry is about, without its name. */
interface Target {
  /** An ID or, for a key's first use from there, a network. */
  readonly object: string;
  /** Null if it is gone or the reader can't see it. */
  readonly objectName: string | null;
}

/** Kinds of things by the prefix of their IDs. */
const KINDS: Readonly<Record<string, string>> = {
  usr: "A person",
  per: "A person",
  ws: "A workspace",
  mtg: "A meeting",
  tsk: "A task",
  tag: "A tag",
  key: "A key",
  whk: "A webhook",
  ses: "A session",
  inv: "An invitation",
  trm: "A word",
  pk: "A passkey",
  acc: "A company account",
  ret: "A retention rule",
  app: "A connected app",
};

const getPrefix = ({ object }: Target) => /^([a-z]+)_/.exec(object)?.[1] ?? "";

/** Returns the name, such as `Firefox on Windows` for a session; null without one. */
export const getTargetName = (target: Target): string | null =>
  target.objectName !== null && getPrefix(target) === "ses"
    ? describeBrowser(target.objectName)
    : target.objectName;

/** Writes the name or, without one, what kind of thing it is; another server's kinds and networks as they are. */
export const describeTarget = (target: Target): string =>
  getTargetName(target) ?? KINDS[getPrefix(target)] ?? target.object;
