import { workspaceMeetings } from "./meetings/router.js";
import { workspaceTasks } from "./tasks/router.js";
import { companyRouter } from "./trpc/index.js";

/** The routes of a workspace key, `/v1/workspace/*`. @see docs/specification.md#workspace-key-routes */
export const workspaceRouter = companyRouter({ meetings: workspaceMeetings, tasks: workspaceTasks });
export type WorkspaceRouter = typeof workspaceRouter;
