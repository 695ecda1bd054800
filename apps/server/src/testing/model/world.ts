/**
 * The state described by the contract: plain objects that refer to each other, no tables, no statements. Uses none of
 * the service's code; what only the service knows (generated ids, completion times) is taken from its answers.
 */

export interface Workspace {
  readonly id: string;
  plan: "free" | "plus" | "pro" | "team" | "enterprise";
  /** Its workspace key and its recorder's key, with their IDs; only companies have them. */
  readonly key: string | null;
  readonly keyId: string | null;
  readonly ingestKey: string | null;
  readonly ingestKeyId: string | null;
  /** Retention rules by the name of a tag; null: for all meetings. */
  readonly rules: Map<string | null, { readonly id: string; readonly days: number }>;
}

export interface User {
  readonly id: string;
  email: string;
  readonly name: string;
  readonly key: string;
  workspace: Workspace;
  role: "admin" | "member";
  credits: number;
}

export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly owner: User;
  readonly readers: Set<User>;
}

/** Somebody who is named in a meeting. `person` is the model's name for their ID. */
export interface Assignee {
  /** Their label as a speaker of the meeting; null if they did not speak. */
  readonly label: string | null;
  readonly name: string;
  readonly email: string | null;
  /** Null: known by name only. */
  readonly person: string | null;
}

export interface Task {
  readonly id: string;
  readonly createdAt: string;
  readonly position: number;
  readonly assignee: Assignee | null;
  readonly text: string;
  readonly completed: boolean;
  readonly due: string | null;
}

export interface Speaker {
  readonly label: string;
  readonly position: number;
  readonly name: string;
  readonly email: string | null;
  readonly person: string;
  /** True once somebody said who they are. */
  readonly named: boolean;
  /** The directory's revision whose name they have; null: the recorder's name, or one given in the meeting. */
  readonly revision: number | null;
}

/** What a meeting says now. Values are replaced, never changed, so that versions can keep them. */
export interface Content {
  readonly title: string;
  readonly generatedTitle: string | null;
  readonly startTime: string;
  readonly endTime: string | null;
  readonly summary: { readonly markdown: string; readonly short: string; readonly locked: boolean } | null;
  readonly speakers: readonly Speaker[];
  readonly turns: readonly { readonly label: string; readonly text: string }[];
  readonly event: (NonNullable<Sent["calendarEvent"]> & { readonly id: string }) | null;
  /** In order. */
  readonly tasks: readonly Task[];
}

/** A version of a meeting. */
export interface Version {
  readonly version: number;
  /** ID of a user or key, and its name. */
  readonly actor: string;
  readonly actorName: string;
  readonly action: "edit" | "replace" | "restore";
  readonly fields: readonly string[];
  /** The values that it replaced, by field; `task:` and an ID for a task. Null: erased. */
  readonly replaced: ReadonlyMap<string, unknown> | null;
}

/** A recorder's input, in the format of `meetings.import`. */
export interface Sent {
  readonly externalId: string;
  readonly ownerEmail: string;
  readonly title: string;
  readonly startTime: string;
  readonly calendarEvent?: {
    readonly externalId?: string;
    readonly title?: string;
    readonly scheduledTime?: string;
    readonly attendees: readonly {
      readonly name: string;
      readonly email: string;
      readonly organizer: boolean;
    }[];
  };
  readonly endTime: string;
  readonly generatedTitle?: string;
  readonly transcript: readonly {
    readonly speakerId: string;
    readonly speakerName: string;
    readonly speakerEmail?: string;
    readonly text: string;
  }[];
  readonly summary?: { readonly markdown: string; readonly short?: string };
  readonly tasks: readonly {
    readonly text: string;
    readonly completed: boolean;
    readonly assignee?: { readonly name: string; readonly email?: string };
    readonly createdAt?: string;
  }[];
  readonly tags: readonly { readonly name: string; readonly color: string }[];
}

export interface Meeting {
  readonly id: string;
  readonly owner: User;
  /** Where it was recorded, the namespace of its externalId. */
  readonly madeIn: Workspace;
  /** What its recorder sent last. */
  sent: Sent;
  content: Content;
  /** Oldest first. The first version has no entry. */
  versions: Version[];
  state: "recording" | "completed" | "failed" | "deleted";
  /** How it ended: `import`, `complete` or the reason of its failure. */
  ended: string | null;
  /** True for a deleted meeting whose externalId a restored one took over. */
  restored: boolean;
  /** Position among completions. */
  completed: number;
  charged: boolean;
  readonly tags: Set<Tag>;
  readonly readers: Set<User>;
  /** True once a person was erased from it: it is not replaced or restored. */
  erased: boolean;
  /** Addresses of people who were erased from a recording that has not ended. */
  readonly erasedAttendees: Set<string>;
  /** Who put it on hold. */
  heldBy: User | null;
}

/** A person in a workspace's directory. */
interface Person {
  readonly workspace: Workspace;
  /** In lower case; null for somebody without an address. */
  email: string | null;
  name: string;
  /** Number of times that they were renamed or merged. Their name counts in all meetings from 1. */
  revision: number;
  /** Who stands for them; null: themselves. */
  mergedInto: string | null;
}

/** What replaces an erased person who was invited. */
export const ERASED = { name: "Erased person", email: "erased@erased.invalid" };

export interface World {
  readonly users: User[];
  readonly companies: Workspace[];
  readonly meetings: Meeting[];
  tags: Tag[];
  completions: number;
  /** The directories' people, by the model's names for their IDs. */
  readonly people: Map<string, Person>;
  /** Number of names that the model gave. */
  named: number;
  /** Every word that was said, each in one meeting only. */
  readonly words: string[];
}
