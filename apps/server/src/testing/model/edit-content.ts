import { refuse } from "./answers.js";
import { refuseEditor } from "./answers-of-edits.js";
import { readIds } from "./content.js";
import { choosePlace, compareEdit } from "./edits.js";
import { identifyAgain } from "./identify.js";
import { generateWord, STARTS } from "./populate.js";
import type { Step } from "./step.js";
import { getContentAt, getVersion, isKept } from "./versions.js";
import type { Content } from "./world.js";

/** Changes a title and times, perhaps to what they are. */
export async function editFacts(step: Step) {
  const { random } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const startTime = random.pick(STARTS);
  const endTime = new Date(Date.parse(startTime) + random.int(400) * 60_000).toISOString();
  const edit = {
    title: random.chance(0.3) ? before.title : `Title ${random.int(1_000_000_000)}`,
    ...(random.chance(0.4) ? { startTime } : {}),
    ...(random.chance(0.4) ? { endTime: random.chance(0.2) ? null : endTime } : {}),
  };
  await compareEdit(step, place, ["meetings.update", { meetingId, ...edit }], (content) => {
    const edited = { ...content, ...edit };
    return edited.endTime !== null && edited.endTime < edited.startTime
      ? refuse(400, "endTime must not be before startTime.")
      : { content: edited };
  });
}

/** Changes or removes a summary. */
export async function editSummary(step: Step) {
  const { random, world } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const said = generateWord(world);
  const markdown =
    random.chance(0.2) && before.summary
      ? before.summary.markdown
      : `${random.pick(["Guest", "Emma"])} spoke of **${said}**.`;
  const short = random.chance(0.5) ? { short: `About ${said}` } : {};
  const summary = random.chance(0.2) ? null : { markdown, ...short };
  await compareEdit(step, place, ["meetings.update", { meetingId, summary }], (content) =>
    content.summary?.locked
      ? refuse(409, "The summary is locked by the plan's limits, so it can't be edited.")
      : {
          content: {
            ...content,
            summary: summary && { short: markdown.replaceAll("**", ""), ...summary, locked: false },
          },
        },
  );
}

/** Changes what was said in a turn, or who said it. */
export async function editTurn(step: Step) {
  const { random, world } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const turn = random.int(before.turns.length + (random.chance(0.1) ? 1 : 0));
  const speaker = random.chance(0.1) ? { label: "s9" } : random.any(before.speakers);
  const text = random.chance(0.5) ? `${generateWord(world)} was it` : "No.";
  const isSpoken = random.chance(0.7) || !speaker;
  const edit = {
    ...(isSpoken ? { spokenText: text } : {}),
    ...(speaker && (!isSpoken || random.chance(0.3)) ? { speakerLabel: speaker.label } : {}),
  };
  await compareEdit(step, place, ["meetings.updateTurn", { meetingId, turn, ...edit }], (content) => {
    const { spokenText, speakerLabel } = edit;
    if (speakerLabel !== undefined && content.speakers.every(({ label }) => label !== speakerLabel))
      return refuse(404, "The meeting has no speaker with this label.");
    const said = content.turns[turn];
    if (!said) return refuse(404, "The meeting has no such turn.");
    const next = { label: speakerLabel ?? said.label, text: spokenText ?? said.text };
    return { content: { ...content, turns: content.turns.with(turn, next) } };
  });
}

/** Restores a version, usually the one before: an undo. */
export async function restoreVersion(step: Step) {
  const { random, world, db } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { meeting } = place;
  const [meetingId, current] = [meeting.id, getVersion(meeting)];
  const version = random.chance(0.6) && current > 1 ? current - 1 : 1 + random.int(current + 1);
  await compareEdit(
    step,
    place,
    ["meetings.restoreVersion", { meetingId, version }],
    async (content) => {
      const { tasks, ...then } = getContentAt(meeting, version);
      const ids = await readIds(db, meetingId);
      const restored = tasks.map((task, at) => {
        const kept = content.tasks.find(({ id }) => id === task.id);
        return kept
          ? { ...task, completed: kept.completed, createdAt: kept.createdAt }
          : { ...task, id: ids.tasks[at] ?? "" };
      });
      const summary = restoreSummary(content, then);
      return {
        content: identifyAgain(world, meeting.owner.workspace, { ...then, summary, tasks: restored }),
      };
    },
    {
      refuse: ({ caller }) =>
        refuseEditor(caller, meeting) ??
        (isKept(meeting, version) ? null : refuse(404, "This version is not kept.")),
      action: "restore",
    },
  );
}

/** Returns a restored summary: a locked one stays. */
const restoreSummary = (
  { summary: current }: Content,
  { summary }: Pick<Content, "summary">,
): Content["summary"] => (current?.locked ? current : summary);
