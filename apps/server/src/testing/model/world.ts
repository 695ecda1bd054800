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

export interface Task {
  readonly id: string;
  readonly createdAt: string;
  readonly meeting: Meeting;
  readonly assignee: {
    /** Their label as a speaker of the meeting; null if they did not speak. */
    readonly label: string | null;
    readonly name: string;
    readonly email: string | null;
  } | null;
  text: string;
  completed: boolean;
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
  sent: Sent;
  state: "recording" | "completed" | "failed" | "deleted";
  /** How it ended: `import`, `complete` or the reason of its failure. */
  ended: string | null;
  /** A word that occurs in no other meeting. */
  word: string;
  /** True for a deleted meeting whose externalId a restored one took over. */
  restored: boolean;
  /** Position among completions. */
  completed: number;
  calendarEventId: string | null;
  locked: boolean;
  charged: boolean;
  tasks: Task[];
  readonly tags: Set<Tag>;
  readonly readers: Set<User>;
  /** Who put it on hold. */
  heldBy: User | null;
}

export interface World {
  readonly users: User[];
  readonly companies: Workspace[];
  readonly meetings: Meeting[];
  tags: Tag[];
  completions: number;
}
