import { schema } from "@minutes/db";
import type { Random } from "@minutes/testing";
import { desc, eq } from "drizzle-orm";
import { canWrite, type Expected, refuse } from "./answers.js";
import { refusePlan } from "./answers-of-edits.js";
import { choosePlace, compareEdit, type Place } from "./edits.js";
import { toAssignee } from "./identify.js";
import { GUEST_ADDRESSES } from "./populate.js";
import type { Step } from "./step.js";
import type { Content, Task } from "./world.js";

/** Picks an assignee, null for nobody, and a due date. */
const chooseFields = (random: Random, { speakers }: Content) => ({
  ...(random.chance(0.7)
    ? {
        assignee: random.pick([
          null,
          { name: "Nobody" },
          { name: "Guest", email: random.pick(GUEST_ADDRESSES) },
          { name: random.any(speakers)?.name ?? "Nobody" },
        ]),
      }
    : {}),
  ...(random.chance(0.5) ? { due: random.pick([null, "2026-01-31", "2027-02-28"]) } : {}),
});

/** Adds a task to a meeting. */
export async function addTask(step: Step) {
  const { random, world, db } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { meeting } = place;
  const { assignee = null, due = null } = chooseFields(random, meeting.content);
  const text = `Added task ${random.int(1_000)}`;
  const input = { meetingId: meeting.id, text, assignee, due };
  await compareEdit(step, place, ["tasks.create", input], async (content) => {
    const { id: taskId, createdAt } = await readLast(db, meeting.id);
    const task: Task = {
      ...{ id: taskId, createdAt, text, due, completed: false },
      position: Math.max(-1, ...content.tasks.map(({ position }) => position)) + 1,
      assignee: assignee && toAssignee(world, meeting, assignee),
    };
    return { content: { ...content, tasks: [...content.tasks, task] }, answer: { taskId } };
  });
}

/** Reads what only the service knows of the last task. */
async function readLast(db: Step["db"], meetingId: string): Promise<{ id: string; createdAt: string }> {
  const { tasks } = schema;
  const [last] = await db
    .select({ id: tasks.id, createdAt: tasks.createdAt })
    .from(tasks)
    .where(eq(tasks.meetingId, meetingId))
    .orderBy(desc(tasks.position))
    .limit(1);
  return last ?? { id: "", createdAt: "" };
}

/** Refuses a task that is unknown or not the caller's to edit, before anything else about the meeting. */
const refuseTask =
  (taskId: string) =>
  ({ caller, meeting }: Place): Expected | null => {
    const isKnown = meeting.state === "completed" && meeting.content.tasks.some(({ id }) => id === taskId);
    if (isKnown && canWrite(caller, meeting)) return refusePlan(caller);
    return refusePlan(caller) ?? refuse(404, "Task not found or not writable");
  };

/** Changes the text, assignee or due date of a task. */
export async function editTask(step: Step) {
  const { random, world } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { meeting } = place;
  const taskId = random.any(meeting.content.tasks)?.id ?? "tsk_unknown";
  const text = random.chance(0.5) ? { text: `Edited task ${random.int(1_000)}` } : {};
  const fields = { ...text, ...chooseFields(random, meeting.content) };
  if (Object.keys(fields).length === 0) return;
  const input = { meetingId: meeting.id, taskId, ...fields };
  await compareEdit(
    step,
    place,
    ["meetings.updateTask", input],
    (content) => {
      const { assignee, ...facts } = fields;
      const named = assignee && toAssignee(world, meeting, assignee);
      const edited = { ...facts, ...(named === undefined ? {} : { assignee: named }) };
      const tasks = content.tasks.map((task) => (task.id === taskId ? { ...task, ...edited } : task));
      return { content: { ...content, tasks }, answer: { taskId } };
    },
    { refuse: refuseTask(taskId) },
  );
}

/** Deletes a task. */
export async function deleteTask(step: Step) {
  const place = choosePlace(step);
  if (!place) return;
  const taskId = step.random.any(place.meeting.content.tasks)?.id ?? "tsk_unknown";
  await compareEdit(
    step,
    place,
    ["tasks.delete", { taskId }],
    (content) => ({
      content: { ...content, tasks: content.tasks.filter(({ id }) => id !== taskId) },
      answer: { taskId },
    }),
    { refuse: refuseTask(taskId) },
  );
}
