import { createPersonalRouter } from "./api/index.js";
import { myQuestions } from "./ask/router.js";
import { meetingCorrections, taskCorrections } from "./corrections/router.js";
import { people } from "./directory/router.js";
import { consoleMeetings } from "./meetings/router.js";
import { speakers } from "./speakers/router.js";
import { myTags } from "./tags/router.js";
import { consoleTasks } from "./tasks/router.js";

/** Personal procedures beyond `/v1`: the console's meeting pages, `/console/v1/*`, and the tools of `/mcp`. */
export const consoleRouter = createPersonalRouter({
  meetings: { ...consoleMeetings, ...meetingCorrections, ...myQuestions },
  tasks: { ...consoleTasks, ...taskCorrections },
  speakers,
  people,
  tags: myTags,
});
export type ConsoleRouter = typeof consoleRouter;
