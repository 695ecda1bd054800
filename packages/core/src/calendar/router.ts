import * as contract from "@minutes/contract";
import { implement } from "../api/index.js";
import { deleteCalendar, getCalendar, refreshCalendar, setCalendar } from "./subscription.js";
import { unlinkEvent } from "./unlink.js";
import { isConnected, listUpcoming, prepareEvent } from "./upcoming.js";

/** The calendar that a user subscribed to. */
export const calendar = {
  get: implement(contract.getCalendar, ({ db, caller, services }) =>
    getCalendar(db, caller.userId, services.webhooks),
  ),
  set: implement(contract.setCalendar, ({ db, caller, services, input }) =>
    setCalendar(db, caller, input.url, services.webhooks),
  ),
  delete: implement(contract.deleteCalendar, ({ db, caller }) => deleteCalendar(db, caller)),
  refresh: implement(contract.refreshCalendar, ({ db, caller, services }) =>
    refreshCalendar(db, caller, services.webhooks),
  ),
  unlink: implement(contract.unlinkCalendarEvent, ({ db, caller, input }) =>
    unlinkEvent(db, caller, input.meetingId),
  ),
};

/** The events of the user's calendar. */
export const upcoming = {
  list: implement(contract.listUpcoming, async ({ db, caller, input }) => ({
    events: await listUpcoming(db, caller.userId, input.limit),
    connected: await isConnected(db, caller.userId),
  })),
  prepare: implement(contract.prepareEvent, ({ db, caller, input }) =>
    prepareEvent(db, caller, input.eventId),
  ),
};
