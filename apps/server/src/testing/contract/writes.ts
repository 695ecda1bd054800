import type { Call, Walk } from "./calls.js";
import { PROGRAMS, READERS } from "./reads.js";

/** Changes tasks and deletes meetings, and reads everything again afterwards. */
export async function askWrites(call: Call, walk: Walk): Promise<void> {
  const update = (holder: string, taskId: string, change: object) =>
    call(holder, `${holder.startsWith("personal") ? "me" : "workspace"}/tasks.update`, { taskId, ...change });
  for (const change of [
    { completed: true },
    { completed: true },
    { completed: false },
    { text: "  New text 🦀\n " },
    { text: "Both", completed: true },
  ])
    for (const holder of ["personal anna", "workspace team"]) {
      await update(holder, "tsk_anna1x0", change);
      await call("personal ben", "me/tasks.list", { meetingId: "mtg_anna1" });
      await call("personal anna", "me/meetings.get", { meetingId: "mtg_anna1" });
    }
  const holders = [...READERS, "personal otto", "personal read-only", ...PROGRAMS, "workspace read-only"];
  for (const task of ["anna2x0", "anna2x1", "ben1x0", "ben2x0", "lea1x0", "otto1x0", "unknown"])
    for (const holder of holders) await update(holder, `tsk_${task}`, { completed: true });
  const others = ["personal cleo", "personal ben", "personal otto", "workspace otto"];
  const gone = [
    "anna2",
    "ben4",
    "ben5",
    "lea1",
    "admin1",
    "future0",
    "sameA",
    "processing",
    "deleted",
    "unknown",
  ];
  for (const [number, meeting] of gone.entries())
    for (const holder of [...others, ...(number % 2 ? holders.toReversed() : holders)]) {
      const side = holder.startsWith("personal") ? "me" : "workspace";
      await call(holder, `${side}/meetings.delete`, { meetingId: `mtg_${meeting}` });
    }
  await call("personal otto", "me/meetings.delete", { meetingId: "mtg_otto1" });
  for (const holder of holders) {
    const side = holder.startsWith("personal") ? "me" : "workspace";
    for (const route of [`${side}/meetings.list`, `${side}/tasks.list`])
      await walk(holder, route, { limit: 40 });
    for (const meeting of gone) await call(holder, `${side}/meetings.get`, { meetingId: `mtg_${meeting}` });
    if (side === "me") {
      await call(holder, "me/tags.list");
      await call(holder, "me/meetings.search", { query: "turbines" });
    }
  }
}
