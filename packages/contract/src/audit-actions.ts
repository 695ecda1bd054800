/** The actions of the audit log with their words, grouped by subject: `key` and `create` are the action `key.create`. */
export const AUDIT_GROUPS = {
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
    actions: {
      create: "Invited a person",
      renew: "Renewed an invitation",
      revoke: "Revoked an invitation",
    },
  },
  workspace: {
    label: "Workspace",
    actions: {
      create: "Created the workspace",
      rename: "Renamed the workspace",
      remove: "Deleted a workspace",
      "revoke-credentials": "Revoked all access",
      "public-links.on": "Allowed links for people outside",
      "public-links.off": "Turned off links for people outside",
      "audio.keep": "Set how long audio is kept",
      "audio.discard": "Stopped keeping audio",
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
  digest: {
    label: "E-mails about meetings",
    actions: { subscribe: "Asked for e-mails about meetings", unsubscribe: "Ended e-mails about meetings" },
  },
  calendar: {
    label: "Calendars",
    actions: {
      get: "Read the events of a calendar",
      set: "Subscribed to a calendar",
      refresh: "Asked for a calendar to be read now",
      delete: "Ended the subscription to a calendar",
      unlink: "Unlinked a meeting from its calendar event",
    },
  },
  delivery: { label: "Deliveries", actions: { redeliver: "Resent a delivery" } },
  meeting: {
    label: "Meetings",
    actions: {
      list: "Listed a person's meetings",
      get: "Read a meeting",
      update: "Corrected a meeting",
      summarize: "Asked for a new summary of a meeting",
      versions: "Read earlier versions of a meeting",
      "restore-version": "Restored an earlier version of a meeting",
      tag: "Tagged a meeting",
      untag: "Removed a tag from a meeting",
      share: "Shared a meeting",
      unshare: "Stopped sharing a meeting",
      link: "Created a link for people outside",
      unlink: "Revoked a link for people outside",
      ask: "Asked for access to a meeting",
      dismiss: "Dismissed a request for access to a meeting",
      delete: "Deleted a meeting",
      expire: "Deleted a meeting by a retention rule",
      hold: "Put a meeting on hold",
      release: "Released a meeting",
      "erase-person": "Erased a person from a meeting",
    },
  },
  speaker: {
    label: "Speakers",
    actions: {
      assign: "Said who a speaker is",
      merge: "Merged two speakers",
      split: "Gave turns to another speaker",
    },
  },
  task: {
    label: "Tasks",
    actions: {
      list: "Listed a person's tasks",
      get: "Read a task",
      create: "Added a task",
      update: "Changed a task",
      delete: "Deleted a task",
    },
  },
  search: {
    label: "Search",
    actions: { explain: "Searched as a person", ask: "Asked as a person" },
  },
  person: {
    label: "People in meetings",
    actions: {
      list: "Listed the people in meetings",
      get: "Read about a person",
      rename: "Renamed a person",
      merge: "Merged two people",
      unmerge: "Undid a merge of people",
      erase: "Started erasing a person",
    },
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
      "team.add": "Added a word for the workspace",
      "team.remove": "Removed a word of the workspace",
    },
  },
  instruction: {
    label: "Summary instructions",
    actions: {
      create: "Created a summary instruction",
      update: "Changed a summary instruction",
      delete: "Deleted a summary instruction",
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
  backup: { label: "Backups", actions: { create: "Made a backup" } },
  export: {
    label: "Exports",
    actions: { workspace: "Exported the workspace", user: "Exported a person's meetings" },
  },
} as const satisfies Readonly<Record<string, { label: string; actions: Readonly<Record<string, string>> }>>;

type Groups = typeof AUDIT_GROUPS;
type ActionOf<Group extends keyof Groups> = `${Group}.${keyof Groups[Group]["actions"] & string}`;
/** What an entry of the audit log says was done, such as `key.create`; of a retention rule also its days. */
export type AuditAction =
  | Exclude<{ [Group in keyof Groups]: ActionOf<Group> }[keyof Groups], "retention.set">
  | `retention.set.${number}`;

/** Words of each action. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(AUDIT_GROUPS).flatMap(([group, { actions }]) =>
    Object.entries(actions).map(([action, words]) => [`${group}.${action}`, words] as const),
  ),
);

/** Words for what somebody else did to a person, where the action's own words say that they did it themselves. */
const BY_OTHERS: ReadonlyMap<string, string> = new Map([
  ["member.join", "Added to the workspace"],
  ["member.leave", "Removed from the workspace"],
  ["session.end-all", "Signed a person out everywhere"],
]);

/**
 * Writes `Created a webhook` for `webhook.create`, and `Set a retention rule: 30 days` for `retention.set.30`; the code itself for
 * an action of a newer server.
 */
export function describeAction(entry: {
  readonly action: string;
  readonly actor: string;
  readonly object: string;
}): string {
  const [, action = entry.action, days] = /^(retention\.set)\.(\d+)$/.exec(entry.action) ?? [];
  const words = (entry.actor !== entry.object && BY_OTHERS.get(action)) || (WORDS.get(action) ?? action);
  return days === undefined ? words : `${words}: ${days} ${days === "1" ? "day" : "days"}`;
}

/** Returns true for an action, and for the first part of several: `key`, `workspace.plan`. */
export const isActionOrPart = (part: string): boolean =>
  [...WORDS.keys()].some((action) => action === part || action.startsWith(`${part}.`));
