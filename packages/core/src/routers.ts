import { createRouter } from "./api/index.js";
import { myQuestions } from "./ask/router.js";
import { calendar, upcoming } from "./calendar/router.js";
import { digests } from "./digests/router.js";
import { meetingCorrections, peopleCorrections, speakers, taskCorrections } from "./editing/router.js";
import { retention } from "./erasure/retention/router.js";
import { keptAudio, meetingRecording } from "./ingest/kept-audio/router.js";
import { meetingSummary, recordings } from "./ingest/router.js";
import { transcriptions } from "./ingest/transcriptions/router.js";
import { keys } from "./keys/router.js";
import {
  consoleMeetings,
  type meetingTranscript,
  myMeetings,
  myRestMeetings,
  workspaceMeetings,
  workspaceRestMeetings,
} from "./meetings/router.js";
import { accessRequests, meetingSharing, shares, sharesOf, tagSharing } from "./meetings/sharing/router.js";
import { meetingTagging, myTags, ownMeetingTags, ownTags, v1Tags } from "./meetings/tags/router.js";
import { myTasks, myTasksWithDue, workspaceTasks, workspaceTasksWithDue } from "./meetings/tasks/router.js";
import { members, ownWorkspace, userErasure, workspaceMembers } from "./members/router.js";
import { people as directory } from "./people/directory/router.js";
import { publicLinks } from "./public-links/router.js";
import { account, memberLinks, workspaceInvitations } from "./sign-in/router.js";
import { webhooks } from "./webhooks/router.js";
import {
  caller,
  installationAudit,
  instructions,
  plan,
  users,
  vocabulary,
  workspaceAudit,
  workspaces,
} from "./workspaces/router.js";

/** The routes of a personal key, `/v1/me/*`. @see docs/specification.md#personal-key-routes */
export const meRouter = createRouter({ meetings: myMeetings, tasks: myTasks, tags: v1Tags });
export type MeRouter = typeof meRouter;

/** The routes of a workspace key, `/v1/workspace/*`. @see docs/specification.md#workspace-key-routes */
export const workspaceRouter = createRouter({ meetings: workspaceMeetings, tasks: workspaceTasks });
export type WorkspaceRouter = typeof workspaceRouter;

const people = { ...directory, ...peopleCorrections };

/** What a user does with meetings: the console's pages, `/console/v1/*`, the tools of `/mcp`, and the operator as a user. */
export const operations = {
  meetings: {
    ...consoleMeetings,
    ...meetingCorrections,
    ...meetingRecording,
    ...meetingSummary,
    ...myQuestions,
    ...ownMeetingTags,
  },
  tasks: { ...myTasksWithDue, ...taskCorrections },
  speakers,
  people,
  tags: myTags,
  transcriptions,
  upcoming,
  caller,
};

export const consoleRouter = createRouter(operations);
export type ConsoleRouter = typeof consoleRouter;

/** The resources of a personal key, `/rest/v1/me`: the procedures of `/v1/me`, a transcript and a single task. */
export const myRestRouter = createRouter({
  meetings: {
    ...myRestMeetings,
    ...meetingCorrections,
    ...meetingRecording,
    ...meetingSummary,
    ...myQuestions,
    ...ownMeetingTags,
  },
  tasks: { ...myTasksWithDue, ...taskCorrections },
  speakers,
  people,
  tags: myTags,
  transcriptions,
  upcoming,
  caller,
});

/**
 * People, speakers, transcripts, corrections, versions and the list of tasks: the same for both kinds of keys, apart from
 * the filters of a user's tasks.
 */
export type PeopleRouter = ReturnType<
  typeof createRouter<{
    people: typeof people;
    speakers: typeof speakers;
    meetings: typeof meetingCorrections & typeof meetingSummary & typeof meetingTranscript;
    tasks: typeof taskCorrections & Pick<typeof myTasksWithDue, "list">;
  }>
>;

/** The resources of a workspace key, `/rest/v1/workspace`: like those of a personal key, without search and tags. */
export const workspaceRestRouter = createRouter({
  meetings: { ...workspaceRestMeetings, ...meetingCorrections, ...meetingRecording, ...meetingSummary },
  tasks: { ...workspaceTasksWithDue, ...taskCorrections },
  speakers,
  people,
  caller,
});

/** What a user manages: their account and what they own, and as an admin their workspace. The operator manages all users'. */
const management = {
  accessRequests,
  account,
  audit: workspaceAudit,
  calendar,
  digests,
  instructions,
  invitations: workspaceInvitations,
  keptAudio,
  keys,
  meetings: { ...meetingSharing, ...meetingTagging },
  members: { ...members, ...memberLinks },
  plan,
  publicLinks,
  recordings,
  retention,
  shares,
  tags: { ...ownTags, ...tagSharing },
  vocabulary,
  webhooks,
  workspaces: ownWorkspace,
};

/** Management by the operator. */
export const operatorManagement = {
  ...management,
  audit: installationAudit,
  shares: { ...shares, ...sharesOf },
  tags: { ...myTags, ...management.tags },
  users: { ...users, ...userErasure },
  workspaces: { ...ownWorkspace, ...workspaces, ...workspaceMembers },
};

/** `/settings/v1/*`: a signed-in user's management of their own objects, as the operator does with the command line. */
export const accountRouter = createRouter(management);
export type SettingsRouter = typeof accountRouter;

/** The declared operations of `/settings/v1`. */
export type ManagementRouter = ReturnType<typeof createRouter<typeof management>>;
