import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createTestCa, OIDC_CLIENT, startOidcProvider } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { CALLBACK, PUBLIC_URL, startFalseProvider, toSettings } from "../../testing/oidc.js";
import { checkOidc } from "./oidc.js";

const check = async (issuer: string, more: Record<string, string> = {}) => {
  const checks = await checkOidc(parseConfig({ ...toSettings(issuer), PUBLIC_URL, ...more }));
  expect(JSON.stringify(checks)).not.toContain(OIDC_CLIENT.client_secret);
  return checks;
};
const fails = (message: string) => [
  { name: "Sign-in", status: "fail", message: expect.stringContaining(message) },
];

test("ok: the provider answers; its redirect URI and client ID are shown, and no secret", async () => {
  const account = { sub: "1", email: "anna@example.com", email_verified: true, name: "Anna" };
  const { issuer, close } = await startOidcProvider(
    () => account,
    () => [CALLBACK],
  );
  onTestFinished(close);
  expect(await check(issuer)).toEqual([
    {
      ...{ name: "Sign-in", status: "ok" },
      message: `${issuer} answers. The client minutes needs this redirect URI there: ${CALLBACK}`,
    },
  ]);
  expect(await check(issuer, { SIGN_IN: "password" })).toEqual([]);
  expect(await checkOidc(parseConfig({}))).toEqual([]);
});

test("fail: the provider is down, is another one, or has no discovery document", async () => {
  const provider = await startFalseProvider((_request, response) => void response.writeHead(404).end());
  expect(await check(provider.url)).toEqual(fails("has no discovery document for this issuer"));
  provider.answer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ issuer: "https://other.example.com", authorization_endpoint: "https://x.example" }),
    );
  });
  expect(await check(provider.url)).toEqual(fails('OIDC_ISSUER must be the "issuer"'));
  provider.answer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ issuer: provider.url }));
  });
  expect(await check(provider.url)).toMatchObject([{ status: "fail" }]);
  await provider.close();
  expect(await check(provider.url)).toEqual(fails("can't be reached ("));
});

test("fail: the provider's certificate can't be verified", async () => {
  const ca = await createTestCa();
  onTestFinished(ca.remove);
  const server = createServer(await ca.selfSigned(), (_request, response) => void response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(await check(`https://127.0.0.1:${port}`)).toEqual(
    fails("can't be verified (DEPTH_ZERO_SELF_SIGNED_CERT)"),
  );
});
