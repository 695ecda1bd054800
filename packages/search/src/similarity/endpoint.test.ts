import { collectGarbage } from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEndpointModel } from "./endpoint.js";
import { Endpoint } from "./testing/endpoint.js";

const never = new AbortController().signal;

let endpoint: Endpoint;
let url: string;
beforeAll(async () => {
  endpoint = new Endpoint();
  url = await endpoint.start();
});
afterAll(() => endpoint.stop());

describe("an endpoint", () => {
  test("gets batches with its key, and can answer in any order", async () => {
    endpoint.requests.length = 0;
    const model = createEndpointModel({ url, model: "small", key: "secret" });
    const texts = Array.from({ length: 130 }, (_, at) => (at % 2 ? "budget" : "zoo"));
    const vectors = await model.embed(texts, "chunk", never);
    expect(vectors.map((vector) => vector[0])).toEqual(texts.map((text) => (text === "budget" ? 1 : 0)));
    expect(endpoint.requests.map((request) => request.input.length)).toEqual([64, 64, 2]);
    expect(endpoint.requests[0]).toMatchObject({ authorization: "Bearer secret", model: "small" });
  });

  test("that is busy is retried after its Retry-After; a refusal is final", async () => {
    let busy = 2;
    endpoint.answer = (response, input) => {
      if (busy-- > 0) response.writeHead(429, { "retry-after": "0.1" }).end();
      else endpoint.vectors(response, input);
    };
    const model = createEndpointModel({ url: `${url}/v1`, model: "small", pause: 1 });
    const began = performance.now();
    expect(await model.embed(["zoo"], "chunk", never)).toHaveLength(1);
    expect(performance.now() - began).toBeGreaterThan(190);

    endpoint.requests.length = 0;
    endpoint.answer = (response) => response.writeHead(401).end("key sk-secret is wrong");
    await expect(model.embed(["zoo"], "chunk", never)).rejects.toThrow(/^the endpoint answered 401$/);
    expect(endpoint.requests).toHaveLength(1);
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
  });

  test.each([["{}"], ['{"data":[]}'], ['{"data":[{"index":0,"embedding":["x"]}]}'], ["<html>"]])(
    "that answers %s is reported as not being an endpoint",
    async (body) => {
      endpoint.answer = (response) => response.end(body);
      await expect(
        createEndpointModel({ url, model: "small", pause: 1 }).embed(["zoo"], "query", never),
      ).rejects.toThrow(/endpoint/);
      endpoint.answer = (response, input) => endpoint.vectors(response, input);
    },
  );

  test("that hangs within its answer is given up when the signal aborts, also after garbage was collected", async () => {
    const asked = new Promise<void>((resolve) => {
      endpoint.answer = (response) => {
        response.writeHead(200).write("{");
        setTimeout(resolve, 100);
      };
    });
    const controller = new AbortController();
    const vectors = createEndpointModel({ url, model: "small" }).embed(["zoo"], "query", controller.signal);
    vectors.catch(() => {});
    await asked;
    collectGarbage();
    controller.abort();
    await expect(vectors).rejects.toThrow(/^the endpoint did not answer in time$/);
    endpoint.answer = (response, input) => endpoint.vectors(response, input);
  });
});
