import { assignSpeaker, createTask, updateMeetingTags, updateMeetingTask } from "@minutes/contract";
import { expect, test } from "vitest";
import { COMPLETIONS } from "./completed.js";
import type { ToolHelp } from "./definition.js";

test.each([
  [assignSpeaker, "list_speakers"],
  [createTask, "list_tasks"],
  [updateMeetingTask, "list_tasks"],
  [updateMeetingTags, "get_meeting"],
])("what was stored is no error if it can't be read again: $tool.name", async ({ tool }, remedy) => {
  const calls: string[] = [];
  const call = async () => {
    calls.push("stored");
    return { success: true, taskId: "task_1" };
  };
  const help: ToolHelp = {
    kind: "user",
    meaning: false,
    toUrl: (meetingId) => meetingId,
    run: async () => {
      if (calls.length === 0) return { tags: [] };
      throw new Error("Too many requests.");
    },
  };
  const answer = await COMPLETIONS.get(tool?.name)?.(call, { meetingId: "mtg_1", add: ["plan"] }, help);
  expect(answer).toMatchObject({
    success: true,
    note: expect.stringMatching(/^Stored, but not read again\./),
  });
  expect(answer?.note).toContain(remedy);
  expect(calls).toEqual(["stored"]);
});
