import { MESSAGES } from "@minutes/contract";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";

interface Row {
  readonly workspace: string;
  readonly role: string;
}

describe("users create without --workspace", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  const create = (email: string, ...options: string[]) =>
    installation.json<Row>("users", "create", email, ...options);
  beforeAll(async () => {
    installation = await openInstallation();
  });
  afterAll(() => installation.close());

  test("uses the only workspace that is nobody's own, and asks which of several", async () => {
    const { json, run } = installation;
    expect(await create("ann@example.com")).toMatchObject({ workspace: "ann's workspace", role: "admin" });
    expect(await create("ben@example.com")).toMatchObject({ workspace: "ben's workspace", role: "admin" });
    await json("workspaces", "create", "Acme");
    expect(await create("cay@example.com")).toMatchObject({ workspace: "Acme", role: "admin" });
    expect(await create("dan@example.com")).toMatchObject({ workspace: "Acme", role: "member" });
    expect(await create("eva@example.com", "--own-workspace")).toMatchObject({
      workspace: "eva's workspace",
    });
    await json("workspaces", "create", "Globex");
    const asked = await run("users", "create", "fin@example.com");
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining(MESSAGES.severalWorkspaces)]);
    expect((await run("users", "get", "fin@example.com")).code).toBe(1);
    expect(await create("fin@example.com", "--workspace", "Globex")).toMatchObject({ workspace: "Globex" });
    expect(await create("gus@example.com", "--own-workspace")).toMatchObject({
      workspace: "gus's workspace",
    });
  });
});
