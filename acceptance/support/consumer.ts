import { readFile } from "node:fs/promises";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { toRepositoryPath } from "./run.js";

const NAMES = "createMeClient, createWorkspaceClient, link, MinutesError, paginate";

/** How a program imports the installed packages. */
const IMPORTS = {
  esm: `import { ${NAMES} } from "@minutes/client";\nimport { createTRPCClient } from "@trpc/client";\n`,
  cjs: `const { ${NAMES} } = require("@minutes/client");\nconst { createTRPCClient } = require("@trpc/client");\n`,
};
export const NPM_FLAGS = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];

/** Writes a program that prints the results of its calls. */
export const writeProgram = async (imports: keyof typeof IMPORTS): Promise<string> =>
  `${IMPORTS[imports]}${await readCalls()}calls(process.env).then((brought) => console.log(JSON.stringify(brought)));\n`;

/** Writes a worker's module that answers every request with the results of its calls. */
export const writeWorkerModule = async (): Promise<string> =>
  `${IMPORTS.esm}${await readCalls()}export default { fetch: async (_, env) => Response.json(await calls(env)) };\n`;

const readCalls = () => readFile(toRepositoryPath("acceptance/consumer/calls.js"), "utf8");

/** The results of the calls to `startServer`, in every runtime. */
export const EXPECTED_RESULT = {
  titles: ["Newest", "Middle", "Oldest"],
  email: "anna@example.com",
  completed: true,
  refused: [true, 404, "not_found", "Meeting not found"],
};

/** Starts a service with the data needed by the calls, and returns it with their environment. */
export async function startServer(): Promise<{ server: TestServer; env: Record<string, string> }> {
  const server = await startTestServer();
  const company = await server.given.company();
  const anna = await server.given.member(company, { email: "anna@example.com" });
  for (const [month, title] of ["Oldest", "Middle", "Newest"].entries()) {
    const startTime = `2026-0${month + 1}-01T10:00:00Z`;
    await server.given.meeting(anna, { title, startTime, tasks: [{ text: title }] });
  }
  return { server, env: { BASE_URL: server.url, ME_KEY: anna.key, WORKSPACE_KEY: company.key } };
}
