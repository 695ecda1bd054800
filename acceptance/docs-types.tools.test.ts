import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findTypeErrors } from "@minutes/testing/type-errors";
import { expect, test } from "vitest";
import { readCodeBlocks } from "./support/code-blocks.js";
import { toRepositoryPath } from "./support/run.js";

test("every ts block of the documents compiles", async () => {
  // Below acceptance, so that imports resolve as in a project with the installed client.
  const folder = toRepositoryPath("acceptance/node_modules/.documentation-types");
  await mkdir(folder, { recursive: true });
  try {
    const files: string[] = [];
    for (const { language, file, line, code } of await readCodeBlocks()) {
      if (language !== "ts") continue;
      const path = join(folder, `${file.replace(/\W+/g, "-")}-${line}.ts`);
      await writeFile(path, `export {};\n${code}`);
      files.push(path);
    }
    expect(files.length).toBeGreaterThan(0);
    expect(findTypeErrors(files)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
