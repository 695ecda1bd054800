import { StartRecording } from "@minutes/contract";
import { startRecording } from "@minutes/core";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";

const ANN = "ann@example.com";
const BEN = "ben@example.com";

describe("minutes recordings", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  let workspaceId: string;
  beforeAll(async () => {
    installation = await openInstallation();
    const { json } = installation;
    ({ id: workspaceId } = await json<{ id: string }>("workspaces", "create", "Acme", "--plan", "team"));
    for (const email of [ANN, BEN]) {
      await json("users", "create", email, "--workspace", "Acme");
      await start(email, email);
    }
  });
  afterAll(() => installation.close());

  const start = (ownerEmail: string, externalId: string) =>
    startRecording(
      installation.db,
      { kind: "recorder", workspaceId, via: { kind: "key", keyId: "key_1" } },
      StartRecording.parse({
        externalId,
        ownerEmail,
        title: `Of ${externalId}`,
        startTime: "2026-01-05T09:00:00Z",
      }),
    );
  const list = (...options: string[]) =>
    installation.json<{ id: string; title: string; state: string }[]>("recordings", "list", ANN, ...options);

  test("unfinished recordings are listed, of a user or of their workspace", async () => {
    expect(await list()).toMatchObject([{ title: `Of ${ANN}`, state: "recording" }]);
    expect((await list("--workspace")).map(({ title }) => title)).toEqual([`Of ${ANN}`, `Of ${BEN}`]);
    expect((await installation.run("recordings", "list", ANN)).stdout).toContain(`Of ${ANN}`);
    const ofWorkspace = ["recordings", "list", "--workspace", "Acme"];
    expect(await installation.json(...ofWorkspace)).toEqual(await list("--workspace"));
    const unnamed = await installation.run("recordings", "list");
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining("--workspace <workspace>")]);
  });

  test("deleting one asks for confirmation, and is recorded", async () => {
    await start(ANN, "mistake");
    const id = (await list()).find(({ title }) => title === "Of mistake")?.id ?? "";
    const asked = await installation.run("recordings", "delete", id);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
    expect(await installation.json("recordings", "delete", id, "--yes")).toEqual({ id });
    expect((await list()).map((recording) => recording.id)).not.toContain(id);
    const again = await installation.run("recordings", "delete", id, "--yes");
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("No such recording: ")]);
    const { entries } = await installation.json<{ entries: object[] }>("audit", "--object", id);
    expect(entries).toMatchObject([{ actor: "operator", action: "recording.delete" }]);
  });
});
