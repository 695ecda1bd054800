// Compiled in a folder with only the installed package, as ESM and as CommonJS.
import {
  type ClientOptions,
  createIngestClient,
  createMeClient,
  createPeopleClient,
  createSettingsClient,
  createWorkspaceClient,
  type InputOf,
  type ItemOf,
  link,
  type MeClient,
  type MeetingDetail,
  type MeetingListItem,
  type MeetingPage,
  type MeRouter,
  MinutesError,
  type OutputOf,
  paginate,
  type TaskListItem,
  type WorkspaceRouter,
} from "@minutes/client";
import { createRecordings } from "@minutes/client/recordings";
import { isEvent, verifyWebhook, type WebhookEvent } from "@minutes/client/webhooks";
import { createTRPCClient } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const assertType = <_Claim extends true>(): void => {};

const options: ClientOptions = { baseUrl: "http://127.0.0.1:3000", apiKey: "jk_x" };
const me: MeClient = createMeClient(options);
const workspace = createWorkspaceClient({
  ...options,
  apiKey: async () => "jk_x",
  timeout: 1_000,
  retries: 0,
});
const recorder = createIngestClient(options);
const settings = createSettingsClient({ baseUrl: options.baseUrl, token: () => "mst_x" });
const people = createPeopleClient("me", options);
const own = createTRPCClient<MeRouter>({ links: [link("me", options)] });

/** Makes calls that must compile. */
export async function compileCalls(): Promise<void> {
  const recordings = createRecordings({ baseUrl: options.baseUrl, apiKey: "jk_x" });
  const { id: uploadId } = await recordings.upload(new Blob(["…"]), { name: "call.mp3" });
  assertType<Equal<typeof uploadId, string>>();
  const page = await me.meetings.list.query({ limit: 20, tag: "board", startDate: "2026-01-01" });
  assertType<Equal<typeof page, MeetingPage>>();
  assertType<Equal<typeof page.nextCursor, string | null>>();
  assertType<Equal<ItemOf<MeetingPage>, MeetingListItem>>();
  await me.meetings.list.query();
  await me.tags.list.query();
  const filters: InputOf<MeClient["meetings"]["list"]> = { limit: 20, tag: "board" };
  assertType<Equal<OutputOf<typeof me.meetings.list>, MeetingPage>>();
  await me.meetings.list.query(filters);
  assertType<Equal<InputOf<typeof workspace.tasks.update>["taskId"], string>>();

  const detail = await me.meetings.get.query({ meetingId: "m" }, { signal: new AbortController().signal });
  assertType<Equal<typeof detail, MeetingDetail>>();
  assertType<Equal<typeof detail.event.id, string | null>>();
  const status = detail.event.attendees[0]?.responseStatus;
  assertType<
    Equal<typeof status, "accepted" | "declined" | "tentative" | "needsAction" | null | undefined>
  >();

  const updated = await workspace.tasks.update.mutate({ taskId: "t", completed: true });
  assertType<Equal<typeof updated.text, string | undefined>>();
  for await (const task of paginate(workspace.tasks.list, { userEmail: "a@example.com" })) {
    assertType<Equal<typeof task, TaskListItem>>();
  }
  const titles: string[] = (await paginate(own.meetings.list).toArray({ max: 3 })).map(({ title }) => title);
  assertType<Equal<inferRouterOutputs<WorkspaceRouter>["meetings"]["list"], MeetingPage>>();

  const signal: AbortSignal | undefined = new AbortController().signal as AbortSignal | undefined;
  const startTime = "2026-01-01T10:00:00Z";
  const meeting = { externalId: "1", ownerEmail: "a@example.com", title: "Planning", startTime };
  const started = await recorder.recordings.start.mutate(meeting, { signal });
  assertType<Equal<typeof started.state, "recording" | "processing" | "completed" | "failed">>();
  await recorder.meetings.import.mutate({ ...meeting, tasks: [{ text: "Write" }] });
  const created = await settings.keys.create.mutate({ kind: "personal", name: "Script" }, { signal });
  assertType<Equal<typeof created.key, string>>();
  const { personal } = await settings.webhooks.list.query(undefined, { signal });
  assertType<Equal<(typeof personal)[number]["health"]["failed"], number>>();
  const entries = await paginate(settings.audit.list, { action: "key" }, { signal }).toArray();
  const deliveries = await paginate(settings.webhooks.deliveries, { webhookId: "w" }).toArray();
  const persons = await paginate(people.people.list, undefined, { signal }).toArray();
  const texts: readonly (string | undefined)[] = [entries[0]?.action, deliveries[0]?.id, persons[0]?.name];
  void texts;
  await me.tasks.update.mutate({ taskId: "t", completed: true }, { signal });
  for await (const change of me.sync({ follow: false, signal })) void change.id;

  const event = await verifyWebhook("{}", new Headers(), "ss_x", { tolerance: 60 });
  assertType<Equal<typeof event, WebhookEvent>>();
  assertType<Equal<typeof event.metadata.event, "meeting.completed">>();
  assertType<Equal<(typeof event.data.participants)[number]["email"], string | null>>();
  const events = ["meeting.completed", "meeting.deleted"] as const;
  const chosen = await verifyWebhook("{}", new Headers(), "ss_x", { events });
  assertType<Equal<typeof chosen, WebhookEvent<"meeting.completed" | "meeting.deleted">>>();
  if (isEvent(chosen, "meeting.deleted")) assertType<Equal<typeof chosen.data, { id: string }>>();
  else assertType<Equal<typeof chosen, WebhookEvent>>();

  const error: unknown = titles;
  if (error instanceof MinutesError) {
    assertType<Equal<typeof error.status, number | null>>();
    const reset: Date | undefined = error.rateLimit?.reset;
    void reset;
  }
}

/** Makes calls that must not compile. */
export function refuseWrongCalls(): void {
  // @ts-expect-error a key is required
  createMeClient({ baseUrl: "http://127.0.0.1" });
  // @ts-expect-error limit is a number
  void me.meetings.list.query({ limit: "20" });
  // @ts-expect-error there is no such filter
  void me.meetings.list.query({ userEmail: "a@example.com" });
  // @ts-expect-error there is no such filter
  void ({ userEmail: "a@example.com" } satisfies InputOf<MeClient["meetings"]["list"]>);
  // @ts-expect-error a workspace key has no tag filter
  void workspace.meetings.list.query({ tag: "board" });
  // @ts-expect-error a workspace key has no search
  void workspace.meetings.search;
  // @ts-expect-error a workspace key has no tags
  void workspace.tags;
  // @ts-expect-error a read is no mutation
  void me.meetings.list.mutate;
  // @ts-expect-error a write is no query
  void me.tasks.update.query;
  // @ts-expect-error meetingId is required
  void me.meetings.get.query({});
  // @ts-expect-error the input is required
  void me.meetings.get.query();
  // @ts-expect-error taskId is required
  void me.tasks.update.mutate({ completed: true });
  // @ts-expect-error an update must change something
  void me.tasks.update.mutate({ taskId: "t" });
  // @ts-expect-error an update must change something
  void workspace.tasks.update.mutate({ taskId: "t" });
  // @ts-expect-error a recorder has no meetings to read
  void recorder.meetings.list;
  // @ts-expect-error settings take a token
  createSettingsClient(options);
  // @ts-expect-error the answer of several imports is a stream
  void recorder.meetings.importMany;
  // @ts-expect-error tags have no parameters
  void me.tags.list.query({ limit: 1 });
  // @ts-expect-error tags have no pages
  void paginate(me.tags.list);
  // @ts-expect-error a write has no pages
  void paginate(me.tasks.update);
  // @ts-expect-error there is no such filter
  void paginate(me.tasks.list, { userEmail: "a@example.com" });
  // @ts-expect-error a parsed body can't be verified
  void verifyWebhook({ metadata: {} }, new Headers(), "ss_x");
  // @ts-expect-error there are two route sets
  void link("admin", options);
  // @ts-expect-error the payload has no such field
  void me.meetings.get.query({ meetingId: "m" }).then((meeting) => meeting.owner);
}
