import { createMeClient, paginate } from "@minutes/client";
import { verifyWebhook, WebhookVerificationError } from "@minutes/client/webhooks";

/** A task as an issue of the tracker. The task's ID is its key in the tracker: put twice, it stays one issue. */
export interface Issue {
  readonly taskId: string;
  readonly meetingId: string;
  readonly text: string;
  readonly completed: boolean;
  readonly assignee: string | null;
}

/** What the tracker must do. Most have a field for a foreign ID, which holds the task's and the meeting's. */
export interface Tracker {
  /** Creates the issue of a task, or updates the one that it has. */
  readonly put: (issue: Issue) => Promise<void>;
  /** Returns the IDs of a meeting's tasks that have an issue. */
  readonly list: (meetingId: string) => Promise<readonly string[]>;
  readonly remove: (taskId: string) => Promise<void>;
}

export interface Settings {
  readonly baseUrl: string;
  /** A personal key. */
  readonly apiKey: string;
  readonly secret: string;
  readonly tracker: Tracker;
}

/** Creates the receiver of a webhook that mirrors tasks to a tracker, and the way back. */
export function createMirror({ baseUrl, apiKey, secret, tracker }: Settings) {
  const minutes = createMeClient({ baseUrl, apiKey });
  /** The last work on each meeting: an older state must not be written after a newer one. */
  const working = new Map<string, Promise<void>>();

  /** Makes the tracker's issues what the meeting's tasks are now. */
  async function mirror(meetingId: string): Promise<void> {
    const gone = new Set(await tracker.list(meetingId));
    for await (const { id, text, completed, assignee } of paginate(minutes.tasks.list, { meetingId })) {
      gone.delete(id);
      await tracker.put({ taskId: id, meetingId, text, completed, assignee: assignee?.name ?? null });
    }
    for (const taskId of gone) await tracker.remove(taskId);
  }

  /** Runs after what is already at work on the meeting, whether that failed or not. */
  async function mirrorInTurn(meetingId: string): Promise<void> {
    const turn = (working.get(meetingId) ?? Promise.resolve()).catch(() => {}).then(() => mirror(meetingId));
    working.set(meetingId, turn);
    try {
      await turn;
    } finally {
      if (working.get(meetingId) === turn) working.delete(meetingId);
    }
  }

  return {
    /**
     * Handles a delivery. An event only says which meeting to read again, so repeated deliveries, and those in another order,
     * lead to the same issues.
     */
    async receive(request: Request): Promise<Response> {
      try {
        const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret, {
          events: ["meeting.completed", "meeting.updated", "meeting.deleted", "task.updated"],
        });
        await mirrorInTurn(event.data.id);
        return new Response(null, { status: 204 });
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error; // a 500: the delivery comes again
        return Response.json({ error: error.message }, { status: 400 });
      }
    },
    /** Completes or reopens the task of an issue that was closed or reopened in the tracker. */
    async complete(taskId: string, completed: boolean): Promise<void> {
      await minutes.tasks.update.mutate({ taskId, completed });
    },
  };
}
