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
  { weight: 10, run: shareMeeting },
  { weight: 6, run: shareTag },
  { weight: 8, run: tagMeeting },
  { weight: 2, run: deleteTag },
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
