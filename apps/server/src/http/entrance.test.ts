import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { findFreePort } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { launchServer } from "../testing/process.js";
import { DEFAULT_CONNECTION_LIMITS } from "./connection-limits.js";
import { createEntrance } from "./entrance.js";

const ask = async (url: string, path: string) => {
  const response = await fetch(`${url}${path}`);
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: await response.json(),
  };
};
const STARTING = { status: 503, retryAfter: "2", body: { status: "starting" } };

test("503: everything until the app is there; then the app answers on the same port", async () => {
  const { server, open, drain } = createEntrance(DEFAULT_CONNECTION_LIMITS);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(drain);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ["/health", "/ready", "/ready?verbose"]) expect(await ask(url, path)).toEqual(STARTING);
  const body = { error: "The server is starting. Try again in a few seconds." };
  for (const path of ["/", "/v1/me/meetings.list", "/healthy"])
    expect(await ask(url, path)).toEqual({ ...STARTING, body });
  open((_request, response) => void response.end('"app"'));
  expect(await ask(url, "/ready")).toEqual({ status: 200, retryAfter: null, body: "app" });
});

test("503: a server whose database has not answered yet says that it is starting", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const port = await findFreePort();
  const database = (silent.address() as AddressInfo).port;
  launchServer({ PORT: String(port), DATABASE_URL: `postgres://minutes@127.0.0.1:${database}/minutes` });
  await expect.poll(() => ask(`http://127.0.0.1:${port}`, "/ready").catch(() => null)).toEqual(STARTING);
});
