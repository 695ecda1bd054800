import { createPersonalRouter, createWorkspaceRouter } from "./api/index.js";
import { myQuestions } from "./ask/router.js";
import { meetingCorrections, taskCorrections } from "./corrections/router.js";
import { people } from "./directory/router.js";
import { myRestMeetings, workspaceRestMeetings } from "./meetings/router.js";
import { keys } from "./settings/keys.js";
import { createSettingsRouter } from "./settings/procedures.js";
import { retention } from "./settings/retention.js";
import { webhooks } from "./settings/webhooks.js";
import { speakers } from "./speakers/router.js";
import { myTags } from "./tags/router.js";
import { myRestTasks, workspaceRestTasks } from "./tasks/router.js";

/** The resources of a personal key, `/rest/v1/me`: the procedures of `/v1/me`, a transcript and a single task. */
export const myRestRouter = createPersonalRouter({
  meetings: { ...myRestMeetings, ...meetingCorrections, ...myQuestions },
  tasks: { ...myRestTasks, ...taskCorrections },
  speakers,
  people,
  tags: myTags,
});

/** People, speakers, corrections and versions: the same for both kinds of keys. */
export type PeopleRouter = ReturnType<
  typeof createPersonalRouter<{
    people: typeof people;
    speakers: typeof speakers;
    meetings: typeof meetingCorrections;
    tasks: typeof taskCorrections;
  }>
>;

/** The resources of a workspace key, `/rest/v1/workspace`: like those of a personal key, without search and tags. */
export const workspaceRestRouter = createWorkspaceRouter({
  meetings: { ...workspaceRestMeetings, ...meetingCorrections },
  tasks: { ...workspaceRestTasks, ...taskCorrections },
  speakers,
  people,
});

/** The resources of a signed-in user, such as `/rest/v1/keys`: the procedures of `/settings/v1`. */
export const settingsRestRouter = createSettingsRouter({ keys, retention, webhooks });
export type ManagementRouter = typeof settingsRestRouter;
