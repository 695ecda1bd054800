import { startEvery } from "@minutes/background";
import { createFeedReader, linkCompletedMeetings, syncCalendars, toErrorResponse } from "@minutes/core";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import { readCertificates } from "./deliver.js";
import type { OpenDatabase } from "./installation.js";

/** Interval in ms at which processes look for calendars that are due, and for meetings to match with them. */
const INTERVAL = 10_000;

/** Reads calendars, and fills the events of meetings from them. @throws SettingsError if the certificate file can't be read */
export async function startCalendars(
  { connection, mailer, publicUrl, webhooks }: OpenDatabase,
  config: Config,
  log: Logger,
) {
  const db = connection.background;
  const onFault = (error: unknown) =>
    log.error({ fault: toErrorResponse(error).fault }, "reading a calendar failed");
  const { keyring, targetPolicy } = webhooks;
  const reader = createFeedReader({ targetPolicy, extraCa: await readCertificates(config) });
  const options = { keyring, reader, mailer, publicUrl: publicUrl.get, onFault };
  const loops = [
    startEvery(INTERVAL, (signal) => syncCalendars(db, options, signal), onFault),
    startEvery(INTERVAL, (signal) => linkCompletedMeetings(db, signal), onFault),
  ];
  return {
    stop: async () => {
      const stopped = loops.map(({ stop }) => stop());
      await reader.close();
      await Promise.all(stopped);
    },
  };
}
