/**
 * What there is, as the contract describes it: plain objects that refer to one another, no tables, no statements.
 * Nothing here is taken from the service's code; what only the service can know (ids that it makes, the time of
 * completion) is learnt from its answers.
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

export interface Task {
  readonly id: string;
  readonly createdAt: string;
  readonly meeting: Meeting;
  readonly assignee: {
    readonly id: string | null;
    readonly name: string;
    readonly email: string | null;
  } | null;
  text: string;
  completed: boolean;
}

/** What a recorder sends; the shape of `meetings.import`. */
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
  }[];
  readonly tags: readonly { readonly name: string; readonly color: string }[];
}

export interface Meeting {
  readonly id: string;
  readonly owner: User;
  /** Where it was recorded: whose externalId it has. */
  readonly madeIn: Workspace;
  readonly sent: Sent;
  state: "recording" | "completed" | "failed" | "deleted";
  /** What it was ended with: `import`, `complete` or the reason of its failure. */
  ended: string | null;
  /** A word that is in no other meeting. */
  readonly word: string;
  /** Place among completions. */
  completed: number;
  calendarEventId: string | null;
  locked: boolean;
  charged: boolean;
  tasks: Task[];
  readonly tags: Set<Tag>;
  readonly readers: Set<User>;
}

export interface World {
  readonly users: User[];
  readonly companies: Workspace[];
  readonly meetings: Meeting[];
  tags: Tag[];
  completions: number;
}
