import { schema } from "@minutes/db";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.js";
import { findNamedPeople } from "./named-people.js";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test("every column that names people is found, and a row that names a person of another workspace", async () => {
  const { db, given } = server;
  const anna = await given.member(await given.company());
  const speaker = {
    speakerId: "a",
    speakerName: "Zoe",
    speakerEmail: "zoe@a.example",
    text: "The wombat sleeps.",
  };
  await given.meeting(anna, {
    transcript: [speaker],
    tasks: [{ text: "Feed it", assignee: { name: "Zoe" } }],
  });
  const list = async () => Object.fromEntries((await findNamedPeople(db)).map((one) => [one.place, one]));
  const own = { rows: 1, strangers: 0 };
  const places = [
    "participants.person_id",
    "people.id",
    "person_emails.person_id",
    "tasks.assignee_person_id",
  ];
  expect(await list()).toEqual(Object.fromEntries(places.map((place) => [place, { place, ...own }])));

  const { workspaceId } = await given.company();
  await db.insert(schema.people).values({ id: "per_other", workspaceId, name: "Zoe" });
  await db.update(schema.tasks).set({ assigneePersonId: "per_other" });
  const place = "tasks.assignee_person_id";
  expect((await list())[place]).toEqual({ place, rows: 1, strangers: 1 });
});
