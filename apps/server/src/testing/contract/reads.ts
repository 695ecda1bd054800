import type { Call, Walk } from "./calls.js";

const RANGES = [
  { startDate: "2020-01-05" },
  { endDate: "2020-01-05" },
  { startDate: "2020-01-05", endDate: "2020-01-05" },
  { startDate: "2020-01-05T09:00:00Z", endDate: "2020-01-06T10:00:00+02:00" },
  { startDate: "2020-01-05T08:00:00.0001Z", endDate: "2020-01-09T10:00:00.9999Z" },
  { startDate: "2020-02-01", endDate: "2020-01-01" },
  { startDate: "0001-01-01", endDate: "9999-12-31" },
  { startDate: "2999-01-01" },
];

export const READERS = ["personal anna", "personal ben", "personal cleo", "personal admin", "personal lea"];
export const PROGRAMS = ["workspace team", "workspace otto", "workspace pro"];

export async function askLists({ call, walk }: { call: Call; walk: Walk }): Promise<void> {
  for (const holder of [...READERS, "personal otto", "personal read-only", ...PROGRAMS]) {
    const side = holder.startsWith("personal") ? "me" : "workspace";
    for (const route of [`${side}/meetings.list`, `${side}/tasks.list`]) {
      await call(holder, route);
      await call(holder, route, {});
      await walk(holder, route, { limit: 11 });
      for (const range of RANGES) await call(holder, route, { ...range, limit: 9 });
    }
    for (const filter of [{ completed: true }, { completed: false }, { meetingId: "mtg_anna2" }])
      await call(holder, `${side}/tasks.list`, filter);
    for (const meetingId of [
      "mtg_otto1",
      "mtg_lea1",
      "mtg_ben4",
      "mtg_unknown",
      "mtg_processing",
      "mtg_deleted",
    ])
      await call(holder, `${side}/tasks.list`, { meetingId });
    if (side === "me") await call(holder, "me/tags.list");
    if (side === "me")
      for (const tag of ["budget", "Plan", "plan", "Größe 🦀 & <b>", "x".repeat(100), "nothing"])
        await call(holder, "me/meetings.list", { tag, limit: 5 });
    if (side === "workspace")
      for (const userEmail of [
        "anna@example.com",
        "ANNA@Example.com",
        "lea@example.com",
        "otto@example.com",
        "x",
      ])
        for (const name of ["meetings", "tasks"])
          await call(holder, `workspace/${name}.list`, { userEmail, limit: 5 });
  }
  for (const limit of [1, 2, 3]) {
    for (const name of ["meetings", "tasks"]) {
      const range = { startDate: "2021-05-01", endDate: "2021-06-01" };
      await walk("personal anna", `me/${name}.list`, { ...range, limit });
      await walk("workspace team", `workspace/${name}.list`, { ...range, limit });
    }
    await walk("personal anna", "me/tasks.list", { limit, startDate: "2020-02-01", endDate: "2020-03-01" });
  }
  await call("personal anna", "me/meetings.list", { limit: 100 });
  await call("workspace team", "workspace/tasks.list", { limit: 100 });
  for (const cursor of [
    "2020-01-10T08:00:00.000Z",
    "2020-01-10T08:00:00.000Z::tsk_x",
    "9999-12-31T23:59:59.999Z::~",
  ])
    for (const [holder, side] of [
      ["personal anna", "me"],
      ["workspace team", "workspace"],
    ] as const)
      for (const name of ["meetings", "tasks"])
        await call(holder, `${side}/${name}.list`, { cursor, limit: 3 });
}

const MEETINGS = [
  ...Array.from({ length: 12 }, (_, number) => `mtg_anna${number}`),
  ...["mtg_ben0", "mtg_ben1", "mtg_ben4", "mtg_ben5", "mtg_admin1", "mtg_lea1", "mtg_otto1", "mtg_future1"],
  ...["mtg_recording", "mtg_processing", "mtg_failed", "mtg_deleted", "mtg_unknown", "usr_anna", "x", "🦀"],
];

export async function askMeetings(call: Call): Promise<void> {
  for (const meetingId of MEETINGS) {
    for (const holder of READERS) await call(holder, "me/meetings.get", { meetingId });
    for (const holder of PROGRAMS) await call(holder, "workspace/meetings.get", { meetingId });
  }
}

const QUERIES = [
  "turbines",
  "wombat sleeps",
  "budget quarter",
  "Größenwahn",
  "naive facade",
  "🦀",
  "the",
  "nothing of it",
  "speaker anna",
  "  outage  ",
  '"board meets"',
  "a\nb",
  "x".repeat(1_000),
];

export async function askSearch(call: Call): Promise<void> {
  for (const query of QUERIES) {
    for (const holder of ["personal anna", "personal ben", "personal otto"]) {
      await call(holder, "me/meetings.search", { query });
      await call(holder, "me/meetings.search", { query, startDate: "2020-01-01" });
      await call(holder, "me/meetings.search", { query, startDate: "2020-01-03", endDate: "2020-01-06" });
    }
  }
  await call("personal anna", "me/meetings.search", { query: "turbines", endDate: "2020-01-02T09:00:00Z" });
}

/** Asks for what no meeting answers. The service of the first recording had 40 results for it, which share one word with it. */
export async function askUnanswered(call: Call): Promise<void> {
  const query = "volcano lighthouse penguin saxophone budget";
  await call("personal anna", "me/meetings.search", { query, startDate: "2020-01-01" });
}
