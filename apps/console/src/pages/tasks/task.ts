export interface Task {
  readonly id: string;
  readonly text: string;
  readonly completed: boolean;
  readonly assignee: {
    readonly id: string | null;
    readonly name: string;
    readonly email: string | null;
  } | null;
  /** `YYYY-MM-DD`; null for none. */
  readonly due: string | null;
  readonly meetingId: string;
  readonly meetingTitle: string | null;
  readonly createdAt: string;
  /** The owner of the meeting, who alone can edit the task. */
  readonly userId: string;
  /** True for the owner and the assignee. */
  readonly canComplete: boolean;
}

/** Return the names under which the unsaved input for a task, and for a new one of a meeting, is kept. */
export const toDraft = ({ id }: Pick<Task, "id">) => `tasks/${id}`;
export const toNewDraft = (meetingId: string) => `tasks/of/${meetingId}`;
