import { createWorkspaceRouter } from "./api/index.js";
import { workspaceMeetings } from "./meetings/router.js";
import { workspaceTasks } from "./tasks/router.js";

/** The routes of a workspace key, `/v1/workspace/*`. @see docs/specification.md#workspace-key-routes */
export const workspaceRouter = createWorkspaceRouter({ meetings: workspaceMeetings, tasks: workspaceTasks });
export type WorkspaceRouter = typeof workspaceRouter;
