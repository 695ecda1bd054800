import { LIMITS, MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  asWorkspace,
  type Company,
  type Meeting,
  openTestApi,
  type Person,
  type TestApi,
} from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import type { UserCaller } from "../access/callers.js";
import { runRetention, setRetentionRule } from "../index.js";
import { purgeExpired } from "../lib/purge-expired.js";
import { deleteMeeting } from "../meetings/index.js";
import { eraseUser } from "../workspaces/index.js";
import {
  allowPublicLinks,
  createPublicLink,
  listPublicLinks,
  listWorkspacePublicLinks,
  type NewLink,
  revokePublicLink,
} from "./manage.js";
import { openPublicLink } from "./open.js";

const { auditLog, meetings, meetingTags, publicLinks, retentionRules, summaries } = schema;

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const URL_OF_SERVER = "https://minutes.example.com";
const visitor = { address: "192.0.2.1", answerBy: Infinity };

/** A member's session in the company. */
const as = (who: Person, { workspaceId }: Company): UserCaller => ({ ...asUser(who.userId), workspaceId });
const allow = (company: Company, allowed = true) =>
  allowPublicLinks(api.db, asWorkspace(company.workspaceId), allowed);

async function scene() {
  const company = await api.given.company();
  const anna = await api.given.member(company);
  await allow(company);
  return { company, anna, meeting: await api.given.richMeeting(anna) };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const create = ({ company, anna, meeting }: Scene, facts: Partial<NewLink> = {}) =>
  createPublicLink(
    api.db,
    as(anna, company),
    { meetingId: meeting.meetingId, scope: "summary", days: 7, maskNames: false, ...facts },
    URL_OF_SERVER,
  );
const open = async ({ url }: { url: string }, password: string | null = null) =>
  openPublicLink(api.db, url.split("/s/")[1] ?? "", { password, counts: true, visitor });
const countRows = ({ meetingId }: Meeting) =>
  api.db.$count(publicLinks, eq(publicLinks.meetingId, meetingId));

describe("a link", () => {
  test("is shown once, stored as a hash, listed for the owner and admins, and audited", async () => {
    const here = await scene();
    const { url, ...link } = await create(here, { scope: "transcript", days: 30, password: "open sesame" });
    expect(url).toMatch(/^https:\/\/minutes\.example\.com\/s\/mpl_\w{49}$/);
    const days = (Date.parse(link.expiresAt) - Date.parse(link.createdAt)) / 86_400_000;
    expect({ ...link, days: Math.round(days) }).toMatchObject({
      ...{ meetingId: here.meeting.meetingId, scope: "transcript", maskNames: false, hasPassword: true },
      ...{ views: 0, lastViewedAt: null, days: 30 },
    });
    const stored = JSON.stringify(await api.db.select().from(publicLinks));
    expect(stored).not.toContain(url.split("mpl_")[1]);
    expect(stored).not.toContain("open sesame");
    const caller = as(here.anna, here.company);
    expect(await listPublicLinks(api.db, caller, here.meeting.meetingId)).toEqual({
      ...{ allowed: true, links: [link] },
    });
    await open({ url }, "open sesame");
    const listed = await listWorkspacePublicLinks(api.db, as(here.company.admin, here.company));
    expect(listed.links).toMatchObject([{ id: link.id, owner: here.anna.name, views: 1 }]);
    expect(listed.links[0]?.lastViewedAt).not.toBeNull();
    expect(Object.keys(listed.links[0] ?? {})).not.toContain("title");
    await revokePublicLink(api.db, as(here.company.admin, here.company), link.id);
    const entries = await api.db
      .select({ action: auditLog.action, shownIn: auditLog.shownIn })
      .from(auditLog)
      .where(eq(auditLog.object, here.meeting.meetingId))
      .orderBy(auditLog.id);
    expect(entries).toEqual(
      ["meeting.link", "meeting.unlink"].map((action) => ({ action, shownIn: here.company.workspaceId })),
    );
  });

  test("403, 404, 409: only the owner creates one, only where it is allowed, and not too many", async () => {
    const here = await scene();
    const { company, meeting } = here;
    const other = await scene();
    const refused = [
      [{ ...here, anna: company.admin }, {}, MESSAGES.noMeetingAccess],
      [{ ...here, anna: other.anna, company: other.company }, {}, MESSAGES.noMeetingAccess],
      [here, { meetingId: "mtg_unknown" }, MESSAGES.meetingNotFound],
    ] as const;
    for (const [scene, change, message] of refused)
      await expect(create(scene, change)).rejects.toThrow(message);
    for (let link = 0; link < LIMITS.publicLinksPerMeeting; link++) await create(here);
    await expect(create(here)).rejects.toThrow(MESSAGES.tooManyPublicLinks);
    await allow(company, false);
    await expect(create(here)).rejects.toThrow(MESSAGES.publicLinksOff);
    expect(await countRows(meeting)).toBe(0);
    await allow(company);
    await api.db.update(summaries).set({ locked: true }).where(eq(summaries.meetingId, meeting.meetingId));
    await expect(create(here)).rejects.toThrow(MESSAGES.publicLinkOfLocked);
  });

  test("off by default, also for a person with a workspace of their own, who is its admin", async () => {
    const person = await api.given.person();
    const meeting = await api.given.meeting(person);
    const [row] = await api.db
      .select({ workspaceId: meetings.workspaceId })
      .from(meetings)
      .where(eq(meetings.id, meeting.meetingId));
    const company = { workspaceId: row?.workspaceId ?? "" } as Company;
    await expect(create({ company, anna: person, meeting })).rejects.toThrow(MESSAGES.publicLinksOff);
    await allowPublicLinks(api.db, as(person, company), true);
    expect((await open(await create({ company, anna: person, meeting }))).kind).toBe("meeting");
  });

  test("403 and 404 for members: they neither see others' links, nor end them, nor change the setting", async () => {
    const here = await scene();
    const { id } = await create(here);
    const ben = as(await api.given.member(here.company), here.company);
    const { db } = api;
    await expect(listPublicLinks(db, ben, here.meeting.meetingId)).rejects.toThrow(MESSAGES.noMeetingAccess);
    await expect(revokePublicLink(db, ben, id)).rejects.toThrow(MESSAGES.publicLinkNotFound);
    await expect(listWorkspacePublicLinks(db, ben)).rejects.toThrow(MESSAGES.onlyAdmins);
    await expect(allowPublicLinks(db, ben, false)).rejects.toThrow(MESSAGES.onlyAdmins);
    const stranger = await scene();
    const admin = as(stranger.company.admin, stranger.company);
    await expect(revokePublicLink(db, admin, id)).rejects.toThrow(MESSAGES.publicLinkNotFound);
    expect(await countRows(here.meeting)).toBe(1);
  });
});

describe("links end for good", () => {
  const ofMeeting = ({ meeting }: Scene) => eq(meetings.id, meeting.meetingId);
  const ways: readonly (readonly [string, (here: Scene, id: string) => Promise<unknown>])[] = [
    ["its owner revokes it", ({ anna, company }, id) => revokePublicLink(api.db, as(anna, company), id)],
    ["an admin revokes it", ({ company }, id) => revokePublicLink(api.db, as(company.admin, company), id)],
    ["the operator revokes it", (_, id) => revokePublicLink(api.db, OPERATOR, id)],
    [
      "the meeting is deleted",
      ({ anna, meeting }) => deleteMeeting(api.db, asUser(anna.userId), meeting.meetingId),
    ],
    ["the owner is erased", ({ anna }) => eraseUser(api.db, OPERATOR, anna.userId)],
    [
      "the owner leaves the workspace and comes back",
      async ({ anna, company }) => {
        await api.given.leaves(anna);
        await api.given.joins(anna, company);
      },
    ],
    [
      "links are turned off and on",
      async ({ company }) => {
        await allow(company, false);
        await allow(company);
      },
    ],
    [
      "the summary is locked and unlocked",
      async ({ meeting }) => {
        for (const locked of [true, false])
          await api.db.update(summaries).set({ locked }).where(eq(summaries.meetingId, meeting.meetingId));
      },
    ],
    [
      "the meeting gets another owner, and its first one again",
      async (here) => {
        // A meeting's tags are its owner's.
        await api.db.delete(meetingTags).where(eq(meetingTags.meetingId, here.meeting.meetingId));
        for (const { userId } of [here.company.admin, here.anna])
          await api.db.update(meetings).set({ userId }).where(ofMeeting(here));
      },
    ],
    [
      "retention deletes the meeting",
      async ({ company }) => {
        const { workspaceId } = company;
        await setRetentionRule(api.db, asWorkspace(workspaceId), { days: 1 });
        await api.db
          .update(retentionRules)
          .set({ nextRunAt: sql`now() - interval '1 second'` })
          .where(eq(retentionRules.workspaceId, workspaceId));
        await runRetention(api.db, new AbortController().signal);
      },
    ],
  ];
  test.each(ways)("when %s", async (_, end) => {
    const here = await scene();
    const [link, other] = [await create(here), await scene()];
    const kept = await create(other);
    expect((await open(link)).kind).toBe("meeting");
    await end(here, link.id);
    expect([await open(link), await countRows(here.meeting)]).toEqual([{ kind: "none" }, 0]);
    expect((await open(kept)).kind).toBe("meeting");
  });

  test("when they expire: they show nothing, are not listed, and are deleted", async () => {
    const here = await scene();
    const link = await create(here);
    await api.db
      .update(publicLinks)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(publicLinks.id, link.id));
    expect(await open(link)).toEqual({ kind: "none" });
    const caller = as(here.anna, here.company);
    expect((await listPublicLinks(api.db, caller, here.meeting.meetingId)).links).toEqual([]);
    await expect(revokePublicLink(api.db, caller, link.id)).rejects.toThrow(MESSAGES.publicLinkNotFound);
    await purgeExpired(api.db);
    expect(await countRows(here.meeting)).toBe(0);
  });
});
