import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInstallation } from "../testing/installation.js";
import { meeting, writeMeetings } from "../testing/meeting-files.js";

const ANN = "ann@example.com";
const BEN = "ben@example.com";
const WORDS = "We talked about the turbines, the budget and who will call the supplier.";

interface Row {
  readonly id: string;
  readonly name: string;
}

describe("minutes instructions", needs("embedded"), () => {
  let installation: Awaited<ReturnType<typeof openInstallation>>;
  beforeAll(async () => {
    installation = await openInstallation({
      SUMMARISER_URL: "http://127.0.0.1:9/v1",
      SUMMARISER_MODEL: "small",
    });
    const { json } = installation;
    await json("workspaces", "create", "Acme", "--plan", "team");
    await json("users", "create", ANN, "--workspace", "Acme", "--role", "admin");
    await json("users", "create", BEN, "--workspace", "Acme");
  });
  afterAll(() => installation.close());

  const list = () => installation.json<Row[]>("instructions", "list", ANN);
  const refuse = async (...args: string[]) => {
    const { code, stderr } = await installation.run(...args);
    return [code, stderr.trim().split("\n").at(-1)];
  };

  test("are created with a rule and a language, changed, listed with the team's, and deleted after a question", async () => {
    const { json, run } = installation;
    const sales = await json<Row>(
      ...["instructions", "create", ANN, "Sales", "--prompt", "Objections first.", "--tag", "sales"],
      ...["--language", "German"],
    );
    expect(sales).toMatchObject({
      name: "Sales",
      language: "de",
      tag: "sales",
      word: null,
      isDefault: false,
    });
    await json("instructions", "create", ANN, "Board", "--list", "team", "--default");
    const shown = await run("instructions", "list", ANN);
    expect(shown.stdout).toMatch(/^ins_\w+ +personal +Sales +de +sales +- +-$/m);
    expect(shown.stdout).toMatch(/^ins_\w+ +team +Board +as spoken +- +- +yes$/m);

    const change = ["--no-language", "--no-tag", "--word", "offer", "--name", "Offers"];
    expect(await json("instructions", "update", ANN, sales.id, ...change)).toEqual({
      ...{ ...sales, language: null, tag: null, word: "offer", name: "Offers" },
    });
    expect(await json("instructions", "update", ANN, sales.id, "--default", "--no-word")).toMatchObject({
      ...{ isDefault: true, word: null, prompt: "Objections first." },
    });
    expect(await refuse("instructions", "create", ANN, "New", "--language", "Klingon")).toEqual([
      ...[1, expect.stringContaining("must be a language such as German or de")],
    ]);
    expect(await refuse("instructions", "delete", ANN, sales.id)).toEqual([
      ...[2, expect.stringContaining("add --yes")],
    ]);
    expect(await json("instructions", "delete", ANN, sales.id, "--yes")).toEqual({ id: sales.id });
    const left = (await list()).map(({ name }) => name);
    expect(left).toContain("Board");
    expect(left).not.toContain("Offers");
    expect(await refuse("instructions", "update", BEN, sales.id, "--name", "Again")).toEqual([
      ...[1, expect.stringContaining("No such summary instruction")],
    ]);
  });

  test("meetings summarize asks for another summary, by name and language, and says what it will be written with", async () => {
    const { json, run, db } = installation;
    await json("instructions", "create", ANN, "Short", "--language", "fr");
    const turn = { speakerId: "s", speakerName: "Ann", text: WORDS };
    const content = { transcript: [turn], summary: { markdown: "The first one." } };
    const files = await writeMeetings({ "one.json": [meeting("one", content)] });
    await json("import", ...files, "--owner", ANN);
    const { meetings } = await json<{ meetings: Row[] }>("meetings", "list", ANN);
    const id = meetings[0]?.id ?? "";
    const summarize = async (...options: string[]) => {
      const { code, stderr } = await run("meetings", "summarize", id, ...options);
      const [request] = await db.select().from(schema.summaryRequests);
      return [code, stderr.trim().split("\n").at(-1), JSON.parse(request?.origin ?? "null")];
    };
    expect(await summarize("--instruction", "short")).toEqual([
      ...[0, 'The summary will be written again as "Short" says, in fr.'],
      { name: "Short", prompt: "", language: "fr" },
    ]);
    expect(await summarize("--instruction", "Short", "--no-language")).toEqual([
      ...[0, 'The summary will be written again as "Short" says.'],
      { name: "Short", prompt: "", language: null },
    ]);
    expect(await summarize("--no-instruction")).toEqual([0, "The summary will be written again.", null]);
    expect(await refuse("meetings", "summarize", id, "--instruction", "Unknown")).toEqual([
      ...[1, expect.stringContaining("No such summary instruction")],
    ]);
    expect(await refuse("meetings", "summarize", "mtg_none")).toEqual([
      ...[1, expect.stringContaining("Meeting not found: mtg_none.")],
    ]);
  });
});
