import { createPersonalRouter } from "./api/index.js";
import { myMeetings } from "./meetings/router.js";
import { myTags } from "./tags/router.js";
import { myTasks } from "./tasks/router.js";

/** The routes of a personal key, `/v1/me/*`. @see docs/specification.md#personal-key-routes */
export const meRouter = createPersonalRouter({ meetings: myMeetings, tasks: myTasks, tags: myTags });
export type MeRouter = typeof meRouter;
