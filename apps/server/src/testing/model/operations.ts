import { editFacts, editSummary, editTurn, restoreVersion } from "./edit-content.js";
import { mergePeople, renamePerson, unmergePerson } from "./edit-people.js";
import { assign, mergeSpeakers, splitSpeaker } from "./edit-speakers.js";
import { addTask, deleteTask, editTask } from "./edit-tasks.js";
import { erasePerson } from "./erase-person.js";
import { changeEmail, join, leave, plan, role } from "./members.js";
import {
  completeOne,
  deleteOwn,
  fail,
  importOne,
  repeatCall,
  replaceOne,
  restoreOne,
  start,
} from "./recordings.js";
import { changeRule, expire, hold } from "./retention.js";
import { listCompleted } from "./rules.js";
import { deleteTag, shareMeeting, shareTag, tagMeeting } from "./sharing.js";
import type { Step } from "./step.js";

const OPERATIONS = [
  { weight: 10, run: importOne },
  { weight: 4, run: start },
  { weight: 6, run: completeOne },
  { weight: 2, run: fail },
  { weight: 3, run: repeatCall },
  { weight: 4, run: replaceOne },
  { weight: 3, run: restoreOne },
  { weight: 5, run: editFacts },
  { weight: 5, run: editSummary },
  { weight: 7, run: editTurn },
  { weight: 9, run: assign },
  { weight: 5, run: mergeSpeakers },
  { weight: 5, run: splitSpeaker },
  { weight: 3, run: renamePerson },
  { weight: 5, run: mergePeople },
  { weight: 2, run: unmergePerson },
  { weight: 5, run: addTask },
  { weight: 6, run: editTask },
  { weight: 4, run: deleteTask },
  { weight: 8, run: restoreVersion },
  { weight: 10, run: shareMeeting },
  { weight: 6, run: shareTag },
  { weight: 8, run: tagMeeting },
  { weight: 2, run: deleteTag },
  { weight: 3, run: changeRule },
  { weight: 4, run: hold },
  { weight: 1, run: expire },
  { weight: 1, run: erasePerson },
  { weight: 4, run: join },
  { weight: 2, run: leave },
  { weight: 3, run: role },
  { weight: 4, run: plan },
  { weight: 1, run: changeEmail },
];
const DRAW = OPERATIONS.flatMap(({ weight, run }) => Array.from({ length: weight }, () => run));
/** Maximum number of meetings: more would slow down comparisons without finding more. */
const MEETINGS = 30;

/** Does something random in the service and in the model, and compares the answer. */
export async function runOperation(step: Step): Promise<string> {
  const crowded = listCompleted(step.world).length > MEETINGS;
  const run = crowded || step.random.chance(0.08) ? deleteOwn : step.random.pick(DRAW);
  await run(step);
  return run.name;
}
