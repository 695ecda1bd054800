import { createPersonalRouter, createWorkspaceRouter } from "./api/index.js";
import { myQuestions } from "./ask/router.js";
import {
  myMeetingCorrections,
  myTaskCorrections,
  workspaceMeetingCorrections,
  workspaceTaskCorrections,
} from "./corrections/router.js";
import { myPeople, workspacePeople } from "./directory/router.js";
import { myMeetingResources, workspaceMeetingResources } from "./meetings/router.js";
import { keys } from "./settings/keys.js";
import { createSettingsRouter } from "./settings/procedures.js";
import { retention } from "./settings/retention.js";
import { webhooks } from "./settings/webhooks.js";
import { mySpeakers, workspaceSpeakers } from "./speakers/router.js";
import { myTags } from "./tags/router.js";
import { myTaskResources, workspaceTaskResources } from "./tasks/router.js";

/** The resources of a personal key, `/rest/v1/me`: the procedures of `/v1/me`, a transcript and a single task. */
export const myResourceRouter = createPersonalRouter({
  meetings: { ...myMeetingResources, ...myMeetingCorrections, ...myQuestions },
  tasks: { ...myTaskResources, ...myTaskCorrections },
  speakers: mySpeakers,
  people: myPeople,
  tags: myTags,
});

/** People, speakers, corrections and versions: the same for both kinds of keys. */
export type PeopleRouter = ReturnType<
  typeof createPersonalRouter<{
    people: typeof myPeople;
    speakers: typeof mySpeakers;
    meetings: typeof myMeetingCorrections;
    tasks: typeof myTaskCorrections;
  }>
>;

/** The resources of a workspace key, `/rest/v1/workspace`: like those of a personal key, without search and tags. */
export const workspaceResourceRouter = createWorkspaceRouter({
  meetings: { ...workspaceMeetingResources, ...workspaceMeetingCorrections },
  tasks: { ...workspaceTaskResources, ...workspaceTaskCorrections },
  speakers: workspaceSpeakers,
  people: workspacePeople,
});

/** The resources of a signed-in user, such as `/rest/v1/keys`: the procedures of `/settings/v1`. */
export const settingsResourceRouter = createSettingsRouter({ keys, retention, webhooks });
export type ManagementRouter = typeof settingsResourceRouter;
