import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WEBHOOK_EVENTS } from "@minutes/contract";
import type { OpenApiDocument } from "@minutes/reference";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { validate } from "@readme/openapi-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run, runInEmptyFolder, toRepositoryPath } from "./support/run.js";

let server: TestServer;
let document: OpenApiDocument;
beforeAll(async () => {
  server = await startTestServer({ rateLimit: 1_000 });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(() => server.close());

interface Operation {
  readonly "x-addition"?: true;
  readonly description?: string;
  readonly parameters?: { content: { "application/json": { schema: Schema } } }[];
  readonly requestBody?: { content: { "application/json": { schema: Schema } } };
  readonly responses: Record<
    string,
    {
      headers?: object;
      content?: {
        "application/json"?: { schema: Schema; examples?: Record<string, { value: { error: string } }> };
      };
    }
  >;
}
interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: Schema[];
  readonly required?: string[];
  readonly minLength?: number;
  readonly maxLength?: number;
}

const operations = (): [path: string, method: string, operation: Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) => [path, method, operation as Operation] as [string, string, Operation],
    ),
  );
const named = (name: string): Schema => document.components.schemas[name] as Schema;
const resolve = (schema: Schema): Schema =>
  schema.$ref ? named(schema.$ref.split("/").at(-1) ?? "") : schema;

describe("two public validators accept /openapi.json", () => {
  test("@readme/openapi-parser", async () => {
    expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: true });
  });

  test("@seriousme/openapi-schema-validator", async () => {
    const result = await new Validator().validate(structuredClone({ ...document }));
    expect(result).toMatchObject({ valid: true });
  });
});

describe("the document says what the specification's tables say", () => {
  /** Returns the rows of every table below a heading, as cells without backquotes. */
  async function tables(heading: string): Promise<string[][]> {
    const text = await readFile(toRepositoryPath("docs/specification.md"), "utf8");
    const start = text.indexOf(`\n### ${heading}\n`);
    expect(start).toBeGreaterThan(0);
    const end = text.slice(start + 5).search(/\n##/);
    return text
      .slice(start, end < 0 ? undefined : start + 5 + end)
      .split("\n")
      .filter((line) => line.startsWith("|") && !line.startsWith("|-") && !/^\| (Field|Method) /.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      );
  }

  /**
   * Lists every field of a schema with its type, in the format of the tables: `tasks[].assignee.name`, "string or
   * null".
   */
  function fieldsOf(schema: Schema, at = ""): [string, string][] {
    return Object.entries(resolve(schema).properties ?? {}).flatMap(([name, field]) => {
      const path = at === "" ? name : `${at}.${name}`;
      const options = (field.anyOf ?? [field]).map(resolve);
      const types = options.flatMap(({ type = [] }) => type);
      const [first = field] = options;
      const array = types.includes("array");
      const own: [string, string] = [array ? `${path}[]` : path, types.join(" or ")];
      const inner = array ? fieldsOf(first.items ?? {}, `${path}[]`) : fieldsOf(first, path);
      return [own, ...inner];
    });
  }

  test.each([
    ["Meeting (list item)", "MeetingListItem"],
    ["Task (list item)", "TaskListItem"],
    ["Search result chunk", "SearchChunk"],
    ["Tag", "Tag"],
  ])("%s has exactly the fields and types of %s", async (heading, name) => {
    const rows = (await tables(heading)).map(([field = "", type = ""]) => [field.replaceAll("`", ""), type]);
    expect(fieldsOf(named(name)).toSorted()).toEqual(rows.toSorted());
  });

  test("Meeting (full detail) has exactly the fields and types of MeetingDetail", async () => {
    // The tables give no type for an array whose items' fields follow, such as participants with a nullable e-mail.
    const rows = (await tables("Meeting (full detail)")).map(([field = "", type = ""]) => [
      field.replaceAll("`", ""),
      type,
    ]);
    const fields = fieldsOf(named("MeetingDetail"));
    const inText = ["id", "title", "generatedTitle", "startTime", "endTime", "user", "summary"];
    const untyped = new Set(rows.filter(([, type]) => type === "").map(([field]) => field));
    const expected = rows.map(([field, type]) => [field, untyped.has(field) ? "any" : type]);
    const found = fields
      .filter(([field]) => !inText.includes(field))
      .map(([field, type]) => [field, untyped.has(field) ? "any" : type]);
    expect(found.toSorted()).toEqual(expected.toSorted());
    for (const name of inText) expect(Object.keys(named("MeetingDetail").properties ?? {})).toContain(name);
  });

  test.each(["Workspace-key routes", "Personal-key routes"])(
    "%s: methods, paths and parameters",
    async (heading) => {
      const rows = await tables(heading);
      const prefix = heading.startsWith("Personal") ? "/v1/me/" : "/v1/workspace/";
      // Anything neither specified nor declared an addition (`addition: true` in the contract) is a mistake.
      const served = operations().filter(
        ([path, , operation]) => path.startsWith(prefix) && !operation["x-addition"],
      );
      expect(served.map(([path, method]) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
        rows.map(([method, path = ""]) => `${method} ${path.replaceAll("`", "")}`).toSorted(),
      );
      for (const [, path = "", parameters = ""] of rows) {
        const [, , operation] = served.find(([one]) => one === path.replaceAll("`", "")) ?? [];
        const wrapper = (operation?.parameters?.[0] ?? operation?.requestBody)?.content["application/json"]
          .schema;
        const found = Object.keys(resolve(wrapper?.properties?.json ?? {}).properties ?? {});
        const text = parameters
          .replace("(no `userEmail`)", "")
          .replace("same as the workspace route", "`taskId`, `completed`, `text`");
        const listed = [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
        expect([path, found.toSorted()]).toEqual([path, listed.toSorted()]);
      }
    },
  );

  test("the webhook's event has every field of the payload's table", async () => {
    const text = await readFile(toRepositoryPath("docs/specification.md"), "utf8");
    const start = text.indexOf("Payload shape:");
    const rows = [
      ...text.slice(start, text.indexOf("## Errors", start)).matchAll(/^\| `(.+?)` \| (\w+) \| (.*) \|$/gm),
    ];
    const fields = new Map(fieldsOf(named("MeetingCompleted")));
    expect(rows.length).toBeGreaterThan(8);
    for (const [, field = "", type, notes = ""] of rows) {
      expect([field, fields.get(field)]).toEqual([field, type]);
      for (const [, inner] of (/items `\{(.*?)\}`/.exec(notes)?.[1] ?? "").matchAll(/(\w+)/g)) {
        expect([...fields.keys()]).toContain(`${field}.${inner}`);
      }
    }
    expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS]);
  });

  test("bounds and defaults are those of the limits", () => {
    expect(named("ListMyMeetings").properties?.limit).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 50,
    });
    expect(named("UpdateTask").properties?.text).toMatchObject({ minLength: 1, maxLength: 10_000 });
    expect(named("SearchMeetings").properties?.query).toMatchObject({ minLength: 1, maxLength: 1_000 });
    expect(named("MeetingRef").properties?.meetingId).toMatchObject({ minLength: 1, maxLength: 128 });
  });

  test("every known message is an example of its status", async () => {
    const text = await readFile(toRepositoryPath("docs/specification.md"), "utf8");
    const known = text
      .slice(text.indexOf("Known messages:"), text.indexOf("The 429 response"))
      .split("\n")
      .flatMap((line) =>
        [...line.matchAll(/^\| (\d+) \| `(.+?)` \|/g)].map(([, status, message]) => `${status} ${message}`),
      );
    const told = operations().flatMap(([, , { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.values(content?.["application/json"]?.examples ?? {}).map(
          ({ value }) => `${status} ${value.error}`,
        ),
      ),
    );
    expect(known).toHaveLength(8);
    for (const one of known) expect(told).toContain(one);
  });
});

test("every named schema is used", () => {
  const text = JSON.stringify(document);
  const unused = Object.keys(document.components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  );
  expect(unused).toEqual([]);
});

test("every operation, parameter and field is described", () => {
  const bare: string[] = [];
  const walk = (schema: Schema, at: string) => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!(field.description ?? (field.$ref ? resolve(field).description : undefined)))
        bare.push(`${at}.${name}`);
      for (const option of [field, ...(field.anyOf ?? []), field.items ?? {}]) walk(option, `${at}.${name}`);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema as Schema, name);
  for (const [path, , { description }] of operations()) if (!description) bare.push(path);
  expect(bare).toEqual([]);
});

test("each answer of the service is one that the document has: its status, and quota headers where it says so", async () => {
  const anna = await server.given.person();
  const { meetingId } = await server.given.richMeeting(anna);
  for (const [key, route, input, status] of [
    [anna.key, "me/meetings.get", { meetingId }, 200],
    [anna.key, "me/meetings.list", { limit: 0 }, 400],
    [null, "me/tags.list", undefined, 401],
    [anna.key, "workspace/tasks.list", undefined, 403],
    [anna.key, "me/meetings.delete", { meetingId: "none" }, 404],
  ] as const) {
    const answer = await server.call(key, route, input);
    const [, , operation] = operations().find(([path]) => path === `/v1/${route}`) ?? [];
    expect([route, answer.status, operation?.responses[status]]).toEqual([route, status, expect.anything()]);
    for (const header of Object.keys(operation?.responses[status]?.headers ?? {})) {
      expect(Object.keys(answer.headers)).toContain(header.toLowerCase());
    }
  }
});

test("a client that oazapfts generates from the document calls the service", () =>
  runInEmptyFolder(async (folder) => {
    await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
    await run(
      "node",
      [toRepositoryPath("acceptance/node_modules/oazapfts/dist/cli.js"), "openapi.json", "generated.ts"],
      { cwd: folder },
    );
    await build({
      entryPoints: [join(folder, "generated.ts")],
      outfile: join(folder, "generated.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      nodePaths: [toRepositoryPath("acceptance/node_modules")],
    });
    const anna = await server.given.person();
    const { meetingId, taskIds } = await server.given.richMeeting(anna);
    const api = await import(join(folder, "generated.mjs"));
    Object.assign(api.defaults, { baseUrl: server.url, headers: { "x-api-key": anna.key } });

    const list = await api.meMeetingsList({ input: { json: { limit: 1, endDate: "2026-01-01" } } });
    expect(list.data.result.data.json.meetings.map(({ id }: { id: string }) => id)).toEqual([meetingId]);
    expect((await api.meTagsList()).data.result.data.json.tags).toHaveLength(1);
    const plain = await api.listMeetings({ limit: 1, endDate: "2026-01-01" });
    expect(plain.data.meetings.map(({ id }: { id: string }) => id)).toEqual([meetingId]);
    const [taskId = ""] = taskIds;
    const task = await api.updateTask(taskId, { completed: true });
    expect(task.data).toEqual({ taskId, completed: true });
    const detail = await api.meMeetingsGet({ json: { meetingId } });
    expect(detail.data.result.data.json.user.email).toBe(anna.email);
    const updated = await api.meTasksUpdate({ json: { taskId, completed: true } });
    expect(updated.data.result.data.json).toEqual({ taskId, completed: true });
    expect(await api.meMeetingsList({ input: { json: { limit: 0 } } })).toMatchObject({
      status: 400,
      data: { error: "limit must be an integer from 1 to 100." },
    });
  }));
