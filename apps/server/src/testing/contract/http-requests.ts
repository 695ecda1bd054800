import { type Call, getPath, JSON_TYPE, type SendOne } from "./calls.js";
import type { RecordedKeys } from "./data.js";
import { SERVER_NAMES } from "./exchange.js";
import { getExample, ROUTES } from "./refusals.js";

/** One byte more than the maximum body size. */
const TOO_LONG = 256 * 1024 + 1;

export async function askHttp(sendOne: SendOne, call: Call, keys: RecordedKeys): Promise<void> {
  const anna = { "x-api-key": keys["personal anna"] ?? "" };
  const team = { "x-api-key": keys["workspace team"] ?? "" };
  for (const route of ROUTES)
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]) {
      const headers = { ...(route.startsWith("me/") ? anna : team), ...JSON_TYPE };
      await sendOne({ method, path: getPath(route), headers });
      if (method !== "GET" && method !== "HEAD")
        await sendOne({
          method,
          path: getPath(route),
          headers,
          body: JSON.stringify({ json: getExample(route) }),
        });
    }
  const one = `input=${encodeURIComponent('{"json":{"limit":1}}')}`;
  for (const path of [
    ...["/v1", "/v1/", "/v1/me", "/v1/me/", "/v1/workspace", "/v1/other/meetings.list", "/V1/me/tags.list"],
    ...[
      "/v1/ME/tags.list",
      "/v1/me/Tags.list",
      "/v1/me/tags.list/",
      "/v1/me//tags.list",
      "/v1//me/tags.list",
    ],
    ...[
      "/v1/me/tags.list.x",
      "/v1/me/tags",
      "/v1/me/__proto__",
      "/v1/me/tags.toString",
      "/v1/me/a,b",
      "/v2/me/tags.list",
    ],
    ...[
      "/v1/me/tags.list,meetings.list",
      "/v1/me/%74ags.list",
      "/v1/me/%zz",
      "/v1/me/tags.list%00",
      "/v1/%zz/tags.list",
    ],
    ...[
      `?${one}&${one}`,
      `?${one}&%69nput=x`,
      "?batch=1",
      `?batch=1&${one}`,
      "?limit=1",
      `?${one}&limit=1`,
    ].map((query) => `/v1/me/meetings.list${query}`),
    ...["?input", "?input=", "?", "?&&", "?input=%zz", "?%zz=1", "?input=%ff", "?input=+", `?${one}#x`].map(
      (query) => `/v1/me/meetings.list${query}`,
    ),
    ...[
      `http://example.com/v1/me/meetings.list?${one}`,
      "/v1/me/../me/tags.list",
      "/v1/me/meetings.list;x=1",
    ],
  ]) {
    await sendOne({ path, headers: anna });
    await sendOne({ path });
  }
  const update = '{"json":{"taskId":"tsk_anna1x0","completed":true}}';
  const post = (headers: Record<string, string>, body = update, path = "/v1/me/tasks.update") =>
    sendOne({ method: "POST", path, headers: { ...anna, ...headers }, body });
  for (const type of [
    ...[
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      "Application/JSON",
      "text/plain",
      "",
    ],
    ...[
      "application/json; charset=utf-16",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
    ],
    ...["application/jsonx", "application/vnd.api+json", "application/json; x=y"],
  ])
    await post({ "content-type": type });
  await post({});
  for (const encoding of ["gzip", "identity", "br"])
    await post({ ...JSON_TYPE, "content-encoding": encoding });
  for (const size of [TOO_LONG - 1, TOO_LONG]) {
    await post(JSON_TYPE, update.padEnd(size));
    await post({ ...JSON_TYPE, "transfer-encoding": "chunked" }, update.padEnd(size));
  }
  await post(JSON_TYPE, "");
  for (const query of [`?${one}`, "?input=", "?batch=1", "?x=1"])
    await post(JSON_TYPE, update, `/v1/me/tasks.update${query}`);

  for (const id of ["abc-1:2.3;4=5", "x".repeat(64), "x".repeat(65), "with_underscore", "a b", ""])
    await sendOne({ path: "/v1/me/tags.list", headers: { ...anna, "x-request-id": id } });
  await sendOne({ path: "/v1/me/tags.list", headers: { authorization: `Bearer ${anna["x-api-key"]}` } });
  await sendOne({
    path: "/v1/me/tags.list",
    headers: { ...anna, accept: "text/html", "accept-encoding": "gzip" },
  });
  await sendOne({ path: "/v1/me/tags.list", headers: { ...anna, "if-none-match": "*", range: "bytes=0-1" } });
  for (const server of SERVER_NAMES)
    for (const origin of ["https://app.example.com", "https://other.example.com", "null"]) {
      const preflight = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key",
      };
      await sendOne({ server, method: "OPTIONS", path: "/v1/me/tasks.update", headers: preflight });
      await call("personal anna", "me/tags.list", undefined, { server, headers: { origin } });
      await call(null, "me/tags.list", undefined, { server, headers: { origin } });
    }

  const line = "GET /v1/me/tags.list HTTP/1.1\r\n";
  for (const raw of [
    "\r\n\r\nnonsense\r\n\r\n",
    "GET\r\n\r\n",
    "GET /v1/me/tags.list HTTP/9.9\r\n\r\n",
    `${line}\r\n`,
    `${line}Host: x\r\nbad header\r\n\r\n`,
    `${line}Host: x\r\nx-api-key: a\u0000b\r\nConnection: close\r\n\r\n`,
    `${line}Host: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    `${line}Host: x\r\nx-api-key: ${anna["x-api-key"]}\r\nx-api-key: ${anna["x-api-key"]}\r\nConnection: close\r\n\r\n`,
    `POST /v1/me/tasks.update HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `POST /v1/me/tasks.update HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
    `GET /v1/me/\u0001 HTTP/1.1\r\nHost: x\r\n\r\n`,
  ])
    await sendOne({ raw });
}
