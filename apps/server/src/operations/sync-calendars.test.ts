import { createFeedReader, createTargetPolicy } from "@minutes/core";
import { expect, test } from "vitest";
import { startTestServer } from "../testing/index.js";

/** A rule that matches nothing, for which the library looks until the year 9999. */
const NEVER = [
  ...["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", "DTSTART:20260101T090000Z"],
  ...["RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "END:VEVENT", "END:VCALENDAR", ""],
].join("\r\n");

test("200: a large meeting is imported while a hostile calendar is parsed, which ends when the server stops", async () => {
  const server = await startTestServer();
  const company = await server.given.company();
  const key = await server.given.ingestKey(company);
  const limits = { deadline: 600_000, memory: 384 };
  const reader = createFeedReader({ targetPolicy: createTargetPolicy(), limits });
  let isBusy = true;
  const parsing = reader
    .parse(new TextEncoder().encode(NEVER), Date.now(), (work) => work())
    .then(String, String)
    .finally(() => {
      isBusy = false;
    });
  const answer = await server.call(key, "ingest/meetings.import", {
    ...{
      externalId: "large",
      ownerEmail: company.admin.email,
      title: "Large",
      startTime: "2026-03-01T09:00:00Z",
    },
    transcript: Array.from({ length: 3_000 }, (_, at) => ({
      ...{ speakerId: `s${at % 9}`, speakerName: `Speaker ${at % 9}`, start: at },
      text: `What was said in turn ${at}, in so many words that the body is a large one.`,
    })),
  });
  expect(answer.status).toBe(200);
  expect(isBusy).toBe(true);
  await reader.close();
  expect(await parsing).toBe("Error: The thread was stopped.");
  await server.close();
});
