import { createPersonalRouter } from "./api/index.js";
import { consoleMeetings } from "./meetings/router.js";
import { myTags } from "./tags/router.js";
import { myTasks } from "./tasks/router.js";

/** The console's meeting pages, `/console/v1/*`: a personal key's procedures for a signed-in person. */
export const consoleRouter = createPersonalRouter({
  meetings: consoleMeetings,
  tasks: myTasks,
  tags: myTags,
});
export type ConsoleRouter = typeof consoleRouter;
