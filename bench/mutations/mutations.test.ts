import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTATIONS } from "./mutations.js";

test("each fault's text is in its file exactly once", () => {
  const lost = MUTATIONS.filter(({ file, find }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    return source.split(find).length !== 2;
  });
  expect(lost.map(({ file, fault }) => `${file}: ${fault}`)).toEqual([]);
});
