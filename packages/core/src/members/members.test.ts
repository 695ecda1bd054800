import { type TestServer, useColleagues } from "@minutes/server/testing";
import { type Company, createSettingsCalls, type Person, readPayload, testBrowser } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { createSignInToken } from "../sign-in/index.js";

let server: TestServer;
let company: Company;
let anna: Person;
let boris: Person;
useColleagues((colleagues) => {
  ({ server, company, anna, boris } = colleagues);
});

const ask = createSettingsCalls(() => server);
const done = [200, { success: true }];

describe("members", () => {
  test("200: lists them; only an admin sets roles and removes others; everyone can leave", async () => {
    const [, list] = await ask(anna, "members.list");
    expect((list as { members: { email: string }[] }).members.map(({ email }) => email)).toEqual(
      [company.admin.email, anna.email, boris.email].sort((a, b) =>
        a === company.admin.email ? -1 : b === company.admin.email ? 1 : a < b ? -1 : 1,
      ),
    );
    const onlyAdmins = [403, "Only a workspace admin can do this."];
    expect(await ask(anna, "members.setRole", { userId: boris.userId, role: "admin" })).toEqual(onlyAdmins);
    expect(await ask(anna, "members.remove", { userId: boris.userId })).toEqual(onlyAdmins);
    const leaver = await server.given.member(company);
    expect(await ask(leaver, "members.remove", { userId: leaver.userId })).toEqual(done);
    const removed = await server.given.member(company);
    expect(await ask(company.admin, "members.remove", { userId: removed.userId })).toEqual(done);
  });

  test("200: admins see when members were last active, also after they signed out; members don't", async () => {
    const theirs = await server.given.company();
    const [active, away] = [await server.given.member(theirs), await server.given.member(theirs)];
    const list = async (caller: Person) => {
      const [, answer] = await ask(caller, "members.list");
      const { members } = answer as { members: { userId: string; lastActiveAt?: string | null }[] };
      return (userId: string) => members.find((member) => member.userId === userId)?.lastActiveAt;
    };
    const token = await createSignInToken(server.db, active.userId);
    const browser = testBrowser(server);
    readPayload(await browser.write("identity/v1/link.use", { token }));
    for (const isSignedIn of [true, false]) {
      if (!isSignedIn) readPayload(await browser.write("identity/v1/session.end"));
      const seen = await list(theirs.admin);
      expect(seen(active.userId), `signed in: ${isSignedIn}`).toMatch(/^20\S+Z$/);
      expect(seen(away.userId)).toBe(null);
    }
    expect((await list(away))(active.userId)).toBe(undefined);
  });

  test("200: an admin and the member see how many meetings leave with them; 403: others; 404: strangers", async () => {
    const theirs = await server.given.company();
    const [leaver, colleague] = [await server.given.member(theirs), await server.given.member(theirs)];
    for (const owner of [leaver, leaver, colleague]) {
      const { meetingId } = await server.given.meeting(owner);
      await ask(theirs.admin, "retention.hold", { meetingId });
    }
    const preview = { userId: leaver.userId };
    for (const caller of [theirs.admin, leaver])
      expect(await ask(caller, "members.previewRemoval", preview)).toEqual([200, { meetings: 2, held: 2 }]);
    expect((await ask(colleague, "members.previewRemoval", preview))[0]).toBe(403);
    expect((await ask(company.admin, "members.previewRemoval", preview))[0]).toBe(404);
    const count = async () =>
      readPayload<{ meetings: object[] }>(await server.call(theirs.key, "workspace/meetings.list")).meetings
        .length;
    expect(await count()).toBe(3);
    expect(await ask(theirs.admin, "members.remove", preview)).toEqual(done);
    expect(await count()).toBe(1);
    expect((await ask(theirs.admin, "members.previewRemoval", preview))[0]).toBe(404);
  });

  test("404: users of another workspace look unknown", async () => {
    const stranger = await server.given.person();
    for (const userId of [stranger.userId, "usr_no"]) {
      const noMember = [404, "No such member."];
      expect(await ask(company.admin, "members.remove", { userId })).toEqual(noMember);
      expect(await ask(company.admin, "members.setRole", { userId, role: "member" })).toEqual(noMember);
    }
    const unknown = [404, "No user has this e-mail address."];
    const meeting = await server.given.meeting(anna);
    const share = { meetingId: meeting.meetingId, email: stranger.email };
    expect(await ask(anna, "meetings.share", share)).toEqual(unknown);
    expect(await ask(anna, "meetings.share", { ...share, email: "no@example.com" })).toEqual(unknown);
  });
});

describe("credentials of members who leave", () => {
  test("200: an admin sees the credentials a member created, and revokes them with the membership; 403: a member", async () => {
    const theirs = await server.given.company();
    const second = await server.given.member(theirs);
    const third = await server.given.member(theirs);
    expect(await ask(theirs.admin, "members.setRole", { userId: second.userId, role: "admin" })).toEqual(
      done,
    );
    const [, made] = await ask(second, "keys.create", { kind: "workspace", name: "CI" });
    const { id, key } = made as { id: string; key: string };
    const [, listed] = await ask(theirs.admin, "keys.listWorkspace");
    expect((listed as { workspace: object[] }).workspace).toContainEqual(
      expect.objectContaining({ id, createdBy: { userId: second.userId, email: second.email } }),
    );
    const created = { userId: second.userId };
    expect((await ask(third, "members.credentials", created))[0]).toBe(403);
    expect(await ask(theirs.admin, "members.credentials", created)).toEqual([
      200,
      { credentials: [{ kind: "workspace key", id, name: "CI" }] },
    ]);
    expect((await server.call(key, "workspace/meetings.list")).status).toBe(200);
    const removal = { ...created, revokeCredentials: true };
    expect((await ask(third, "members.remove", removal))[0]).toBe(403);
    expect(await ask(theirs.admin, "members.remove", removal)).toEqual(done);
    expect((await server.call(key, "workspace/meetings.list")).status).toBe(401);
  });
});
