import { describeBrowser } from "../../components/words";

/** Descriptions of the log's actions by code, grouped by subject. */
const GROUPS = {
  session: {
    label: "Sign-ins",
    actions: {
      create: "Signed in",
      fail: "Failed to sign in",
      end: "Signed out",
      "end-all": "Signed out everywhere",
      link: "Created a sign-in link",
    },
  },
  user: {
    label: "People",
    actions: {
      create: "Created an account",
      name: "Changed a name",
      email: "Changed an e-mail address",
      "confirm-email": "Confirmed an e-mail address",
      password: "Changed a password",
      link: "Linked a company account",
      unlink: "Unlinked a company account",
      remove: "Deleted an account",
    },
  },
  passkey: { label: "Passkeys", actions: { add: "Added a passkey", remove: "Removed a passkey" } },
  member: {
    label: "Members",
    actions: {
      join: "Joined the workspace",
      leave: "Left the workspace",
      admin: "Made an admin",
      member: "Made a member",
    },
  },
  invitation: {
    label: "Invitations",
    actions: { create: "Invited a person", revoke: "Revoked an invitation" },
  },
  workspace: {
    label: "Workspace",
    actions: {
      create: "Created the workspace",
      rename: "Renamed the workspace",
      remove: "Deleted a workspace",
      "revoke-credentials": "Revoked all access",
      "plan.free": "Changed the plan to Free",
      "plan.plus": "Changed the plan to Plus",
      "plan.pro": "Changed the plan to Pro",
      "plan.team": "Changed the plan to Team",
      "plan.enterprise": "Changed the plan to Enterprise",
    },
  },
  setup: { label: "Set-up", actions: { complete: "Set up Minutes" } },
  key: {
    label: "API keys",
    actions: {
      create: "Created an API key",
      rename: "Renamed an API key",
      disable: "Disabled an API key",
      enable: "Enabled an API key",
      regenerate: "Regenerated an API key",
      revoke: "Revoked an API key",
      "new-network": "Used an API key from a new network",
    },
  },
  app: {
    label: "Connected apps",
    actions: { connect: "Connected an app", disconnect: "Disconnected an app" },
  },
  "ingest-key": {
    label: "Recorders",
    actions: {
      create: "Created a recorder's credential",
      rename: "Renamed a recorder's credential",
      disable: "Disabled a recorder's credential",
      enable: "Enabled a recorder's credential",
      regenerate: "Regenerated a recorder's credential",
      revoke: "Revoked a recorder's credential",
      "new-network": "Used a recorder's credential from a new network",
    },
  },
  webhook: {
    label: "Webhooks",
    actions: {
      create: "Created a webhook",
      update: "Changed a webhook",
      disable: "Disabled a webhook",
      enable: "Enabled a webhook",
      regenerate: "Created a new secret for a webhook",
      pause: "Paused a failing webhook",
      resume: "Resumed a webhook",
      redeliver: "Resent failed deliveries",
      test: "Sent a test to a webhook",
      delete: "Deleted a webhook",
    },
  },
  delivery: { label: "Deliveries", actions: { redeliver: "Resent a delivery" } },
  meeting: {
    label: "Meetings",
    actions: {
      tag: "Tagged a meeting",
      untag: "Removed a tag from a meeting",
      share: "Shared a meeting",
      unshare: "Stopped sharing a meeting",
      delete: "Deleted a meeting",
      expire: "Deleted a meeting by a retention rule",
      hold: "Put a meeting on hold",
      release: "Released a meeting",
      "erase-person": "Erased a person from a meeting",
    },
  },
  person: {
    label: "People in meetings",
    actions: { rename: "Renamed a person", merge: "Merged two people", unmerge: "Undid a merge of people" },
  },
  recording: {
    label: "Recordings",
    actions: {
      delete: "Deleted an unfinished recording",
      "erase-person": "Erased a person from an unfinished recording",
    },
  },
  tag: {
    label: "Tags",
    actions: {
      create: "Created a tag",
      rename: "Renamed a tag",
      share: "Shared a tag",
      unshare: "Stopped sharing a tag",
      delete: "Deleted a tag",
    },
  },
  retention: {
    label: "Retention",
    actions: { set: "Set a retention rule", delete: "Deleted a retention rule" },
  },
  vocabulary: {
    label: "Vocabulary",
    actions: {
      "personal.add": "Added a word",
      "personal.remove": "Removed a word",
      "workspace.add": "Added a word for the workspace",
      "workspace.remove": "Removed a word of the workspace",
    },
  },
  import: {
    label: "Imports",
    actions: {
      meeting: "Imported a meeting",
      replace: "Replaced a meeting by an import",
      restore: "Restored a meeting",
    },
  },
  export: {
    label: "Exports",
    actions: { workspace: "Exported the workspace", user: "Exported a person's meetings" },
  },
} as const satisfies Readonly<Record<string, { label: string; actions: Readonly<Record<string, string>> }>>;

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(GROUPS).flatMap(([kind, { actions }]) =>
    Object.entries(actions).map(([action, words]) => [`${kind}.${action}`, words] as const),
  ),
);

/** Writes `Created a webhook` for `webhook.create`; the code itself for an action of a newer server. */
export const describeAction = (action: string): string => WORDS.get(action) ?? action;

/** Choices of the filter by action: every group as a whole, then its actions. */
export const ACTION_CHOICES = Object.entries(GROUPS).map(([kind, { label, actions }]) => ({
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
