import { createPersonalRouter } from "./api/index.js";
import { consoleMeetings } from "./meetings/router.js";
import { myTags } from "./tags/router.js";
import { myTasks } from "./tasks/router.js";

/** Personal procedures beyond `/v1`: the console's meeting pages, `/console/v1/*`, and the tools of `/mcp`. */
export const consoleRouter = createPersonalRouter({
  meetings: consoleMeetings,
  tasks: myTasks,
  tags: myTags,
});
export type ConsoleRouter = typeof consoleRouter;
