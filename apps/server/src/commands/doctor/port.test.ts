import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../config/config.js";
import { checkMetricsPort } from "./port.js";

test("a METRICS_PORT that another program uses is a failure", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect(await checkMetricsPort(parseConfig({ METRICS_PORT: String(port) }))).toMatchObject([
    { name: "Metrics port", status: "fail", message: expect.stringContaining("choose another METRICS_PORT") },
  ]);
  expect(await checkMetricsPort(parseConfig({}))).toEqual([]);
});
