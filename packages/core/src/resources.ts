import { createPersonalRouter, createWorkspaceRouter } from "./api/index.js";
import { myMeetingResources, workspaceMeetingResources } from "./meetings/router.js";
import { myTags } from "./tags/router.js";
import { myTaskResources, workspaceTaskResources } from "./tasks/router.js";

/** The resources of a personal key, `/rest/v1/me`: the procedures of `/v1/me`, a transcript and a single task. */
export const myResourceRouter = createPersonalRouter({
  meetings: myMeetingResources,
  tasks: myTaskResources,
  tags: myTags,
});

/** The resources of a workspace key, `/rest/v1/workspace`: like those of a personal key, without search and tags. */
export const workspaceResourceRouter = createWorkspaceRouter({
  meetings: workspaceMeetingResources,
  tasks: workspaceTaskResources,
});
