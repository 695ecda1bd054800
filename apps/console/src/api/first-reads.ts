import { me, queryClient, settings } from "./clients";
import { listMeetings } from "./meeting-pages";

/** Milliseconds that a page waits for what it reads first. Later it shows that it loads. */
const PATIENCE = 300;

/** Waits for reads, whatever becomes of them; no longer than the patience. */
const wait = async (...reads: readonly Promise<void>[]): Promise<void> => {
  await Promise.race([Promise.all(reads), new Promise((over) => setTimeout(over, PATIENCE))]);
};

// A page that has its data is drawn in small steps; data that come later are drawn in one.
export const readAccount = () => wait(queryClient.prefetchQuery(settings.account.get.queryOptions({})));
export const readMeetings = () =>
  wait(
    queryClient.prefetchInfiniteQuery(listMeetings({})),
    queryClient.prefetchQuery(me.tags.list.queryOptions({})),
  );
export const readMeeting = (meetingId: string) =>
  wait(queryClient.prefetchQuery(me.meetings.get.queryOptions({ meetingId })));
