import { openInbox } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { isLoopback } from "../../config/settings/rules.js";
import { startTestServer } from "../../testing/index.js";
import { checkMailServer, checkReady, checkTransport } from "./transport.js";

test("doctor warns of a running server that ignores X-Forwarded-For", async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  const address = { HOST: "127.0.0.1", PORT: server.port };
  expect(await checkReady(address)).toEqual([]);
  await fetch(`${server.url}/health`, { headers: { "x-forwarded-for": "203.0.113.7" } });
  expect(await checkReady(address)).toEqual([
    expect.objectContaining({ status: "warn", message: expect.stringContaining("set TRUST_PROXY") }),
  ]);
});

test.each([
  ["DATABASE_URL", "postgres://u@db.example.com/m", "warn"],
  ["DATABASE_URL", "postgres://u@db.example.com/m?sslmode=require", "warn"],
  ["DATABASE_URL", "postgres://u@db.example.com/m?sslmode=verify-full", "ok"],
  ["DATABASE_URL", "postgres://u@db.example.com/m?sslmode=require&sslrootcert=ca.pem", "ok"],
  ["DATABASE_URL", "postgres://u@127.0.0.1/m", "ok"],
  ["DATABASE_URL", "postgres://u@[::1]/m", "ok"],
  ["SMTP_URL", "smtp://mail.example.com:587", "warn"],
  ["SMTP_URL", "smtp://mail.example.com:587?requireTLS=true", "ok"],
  ["SMTP_URL", "smtps://mail.example.com?tls.rejectUnauthorized=false", "warn"],
  ["SMTP_URL", "smtps://mail.example.com", "ok"],
  ["SMTP_URL", "smtp://localhost:25", "ok"],
])("doctor: %s=%s is %s", (name, value, status) => {
  const checks = checkTransport(parseConfig({ [name]: value })).filter((check) => check.name !== "Mail");
  expect(checks.map((check) => check.status)).toEqual([status]);
});

test("doctor warns of a mail server that doesn't answer, and of a sender that others refuse", async () => {
  const inbox = await openInbox();
  const check = (settings: Record<string, string> = {}) =>
    checkMailServer(parseConfig({ SMTP_URL: inbox.url, ...settings }));
  const own = { SMTP_FROM: "Minutes <minutes@acme.test>" };
  expect(await check(own)).toMatchObject([{ status: "ok" }]);
  const unnamed = { status: "warn", message: expect.stringContaining("set SMTP_FROM") };
  expect(await check()).toMatchObject([{ status: "ok" }, unnamed]);
  expect(inbox.mails).toEqual([]);
  await inbox.close();
  expect(await check(own)).toMatchObject([
    { status: "warn", message: expect.stringContaining("check SMTP_URL") },
  ]);
  expect(await checkMailServer(parseConfig({}))).toEqual([]);
});

test("the sample is off by default where other machines can reach the server", () => {
  const demo = (source: Record<string, string>) => parseConfig(source).DEMO;
  expect([demo({}), demo({ HOST: "localhost" }), demo({ HOST: "::1" })]).toEqual(["on", "on", "on"]);
  expect([demo({ HOST: "0.0.0.0" }), demo({ HOST: "::" }), demo({ HOST: "10.1.2.3" })]).toEqual([
    "off",
    "off",
    "off",
  ]);
  expect(demo({ HOST: "0.0.0.0", DEMO: "on" })).toBe("on");
  expect(isLoopback("127.0.0.1.example.com")).toBe(false);
});
