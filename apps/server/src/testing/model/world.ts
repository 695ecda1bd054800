/**
 * The state described by the contract: plain objects that refer to each other, no tables, no statements. Uses none of
 * the service's code; what only the service knows (generated ids, completion times) is taken from its answers.
 */

export interface Workspace {
  readonly id: string;
  plan: "free" | "plus" | "pro" | "team" | "enterprise";
  /** Its workspace key and its recorder's key; only companies have them. */
  readonly key: string | null;
  readonly ingestKey: string | null;
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
}

export interface Speaker {
  readonly label: string;
  readonly position: number;
  readonly name: string;
  readonly email: string | null;
  readonly person: string;
}

/** What a meeting says. */
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
}

/** A person in a workspace's directory. */
interface Person {
  readonly workspace: Workspace;
  /** In lower case. */
  readonly email: string;
}

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
