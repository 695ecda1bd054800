import { connectEmbedded } from "@minutes/db";
import { needs } from "@minutes/testing";
import { expect, test } from "vitest";
import { sampleDataDir, startProcess } from "./testing/process.js";

test("a statement of the embedded engine never returns after SIGTERM: the process kills itself and says so", {
  ...needs("embedded"),
}, async () => {
  const DATA_DIR = await sampleDataDir();
  const { client, close } = await connectEmbedded({ dataDir: DATA_DIR });
  // Every call counts its request.
  await client.exec(`create function hang() returns trigger language plpgsql as 'begin loop end loop; end';
    create trigger hang before insert or update on rate_windows execute function hang()`);
  await close();
  const server = await startProcess({ DATA_DIR, STOP_DELAY: "3", STOP_TIMEOUT: "5" });
  const key = /x-api-key: (\w+)/.exec(server.output.stderr)?.[1] ?? "";
  server.child.kill("SIGTERM");
  await expect.poll(() => server.output.stdout).toContain('"stopping"');
  const call = fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } });
  await expect(call).rejects.toThrow();
  const { code, signal, stdout } = await server.ended;
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
    level: 60,
    msg: "stopping took too long: killed. Does the database hang?",
  });
});
