import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer } from "../../testing/index.js";
import { type CollectedSpan, type Collector, startCollector } from "./testing/collector.js";
import { createTraces } from "./traces.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

let collector: Collector;
/** The spans of a call with a `traceparent`, one without a key and one delivery. */
let sentHeaders: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  collector = await startCollector();
  const server = await startTestServer({
    watch: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "minutes-test" },
  });
  const anna = await server.given.person();
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, "x-request-id": "traced-1" };
  expect((await server.call(anna.key, "me/meetings.list", {}, { headers })).status).toBe(200);
  expect((await server.call(null, "me/tags.list")).status).toBe(401);
  await server.close(); // sends pending spans
  const traces = createTraces(`${collector.url}/`, "minutes-worker");
  const delivery = { id: "7", webhookId: "wh_1", event: "meeting.completed" } as const;
  await traces.traceDelivery(delivery, async (extra) => {
    sentHeaders = extra;
    return { status: 503, error: "status", milliseconds: 1 };
  });
  await traces.stop();
});
afterAll(() => collector.close());

const find = (name: string, parent?: CollectedSpan): CollectedSpan => {
  const found = collector.spans.find(
    (span) => span.name === name && (parent === undefined || span.parentSpanId === parent.spanId),
  );
  expect(found, `${name} in ${collector.spans.map((span) => span.name).join()}`).toBeDefined();
  return found as CollectedSpan;
};
const readAttributes = ({ attributes }: CollectedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe("spans", () => {
  test("spans name the service that OTEL_SERVICE_NAME sets", () => {
    expect(collector.services).toEqual(new Set(["minutes-test", "minutes-worker"]));
  });

  test("a request with a traceparent continues the caller's trace: request, authentication, statement", () => {
    const request = find("GET /v1/me/meetings.list");
    expect([request.traceId, request.parentSpanId]).toEqual([TRACE, CALLER]);
    expect(readAttributes(request)).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/me/meetings.list",
      "http.response.status_code": 200,
      "minutes.request_id": "traced-1",
    });
    const authentication = find("authenticate", request);
    const statement = find("verify_keys", authentication);
    expect(readAttributes(statement)).toEqual({
      "db.system.name": "postgresql",
      "db.query.summary": "verify_keys",
    });
    const list = collector.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    expect(list.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["authenticate", "meetings_visible"]),
    );
    for (const span of [authentication, statement, ...list]) expect(span.traceId).toBe(TRACE);
  });

  test("a request without one begins a trace; a refused credential fails its authentication and hides the procedure", () => {
    const request = find("GET /v1/me");
    expect(request.traceId).not.toBe(TRACE);
    expect(request.parentSpanId ?? "").toBe("");
    expect(find("authenticate", request).status?.code).toBe(2);
  });

  test("a delivery has its attempt, whose receiver gets the traceparent", () => {
    const delivery = find("delivery");
    const attempt = find("attempt", delivery);
    expect(sentHeaders).toEqual({ traceparent: `00-${delivery.traceId}-${attempt.spanId}-01` });
    expect(readAttributes(attempt)).toEqual({ "http.response.status_code": 503, "error.type": "status" });
    expect(readAttributes(delivery)).toMatchObject({ "minutes.delivery_id": "7" });
  });
});
