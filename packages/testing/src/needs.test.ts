import { afterEach, expect, test, vi } from "vitest";
import { needs } from "./needs.js";

afterEach(() => void vi.unstubAllEnvs());

test("a program is refused in the suite of `pnpm test`, and missing ones are skipped elsewhere", () => {
  expect(() => needs("embedded", "curl")).toThrow("Move tests that need curl to a *.tools.test.ts");
  vi.stubEnv("TEST_TOOLS", "allowed");
  vi.stubEnv("REQUIRE_ALL", "0");
  vi.stubEnv("PATH", "/nonexistent");
  expect(needs("curl")).toEqual({ skip: true, meta: { missing: ["curl"] } });
  vi.stubEnv("REQUIRE_ALL", "1");
  expect(() => needs("curl")).toThrow("curl is missing: install curl");
});
