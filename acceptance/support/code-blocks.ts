import { readdir, readFile } from "node:fs/promises";
import { toRepositoryPath } from "./run.js";

/** A fenced block of a Markdown file. */
export interface CodeBlock {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Folders with runnable code: the documents and the client's README. Decisions have none. */
const FOLDERS = [".", "docs", "examples", "packages/client"];
/** Its receivers are run, with deliveries to them, by packages/core/src/webhooks/delivery/receivers.tools.test.ts. */
const RECEIVERS = "webhooks.md";
/** Its commands set up the repository, and its diffs are applied to a copy of it, by contributing.tools.test.ts. */
const GUIDE = "CONTRIBUTING.md";
/** Its commands are run in order by apps/server/src/tests/readme.tools.test.ts. */
const README = "README.md";

/** Commands that change the machine or reach other machines. Tests in `installs` and `operations` run them. */
const ELSEWHERE =
  /\b(docker|systemctl|sudo|npm (install|pack)|npx [.]\/|minutes (distribute|move-from|transcriber use)|db\.example\.com)/;

/** Returns true for a block that docs.tools.test.ts doesn't run. */
export const isElsewhere = ({ code }: CodeBlock): boolean => ELSEWHERE.test(code);

/** A fenced block, also in a list; its indentation, language and code. */
const FENCED = /^( *)```([^\n]*)\n(.*?)^ *```$/gms;

/** Reads every code block of every document, in reading order. */
export async function readCodeBlocks(): Promise<CodeBlock[]> {
  const blocks: CodeBlock[] = [];
  for (const { file, name, text } of await readDocuments()) {
    for (const match of text.matchAll(FENCED)) {
      const [, indent = "", language = "", code = ""] = match;
      if (language === "mermaid") continue;
      if (file === `./${README}` && language !== "ts") continue;
      if (name === RECEIVERS && ["ts", "python"].includes(language)) continue;
      const line = text.slice(0, match.index).split("\n").length;
      blocks.push({
        file,
        line,
        language: language.trim(),
        code: code.replaceAll(`\n${indent}`, "\n").trimStart(),
      });
    }
  }
  return blocks;
}

/** Finds code that is only indented, so that no test would run it: the file and line of each. */
export async function findIndentedCode(): Promise<string[]> {
  return (await readDocuments()).flatMap(({ file, text }) => {
    const blank = text.replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, ""));
    return [...blank.matchAll(/\n\n {4,}(?![-*] |\d+\. )\S/g)].map(
      ({ index }) => `${file}:${blank.slice(0, index).split("\n").length + 2}`,
    );
  });
}

async function readDocuments(): Promise<{ file: string; name: string; text: string }[]> {
  const documents = [];
  for (const folder of FOLDERS) {
    const names = (await readdir(toRepositoryPath(folder))).filter((name) => name.endsWith(".md"));
    for (const name of names.toSorted()) {
      const file = `${folder}/${name}`;
      if (name !== GUIDE)
        documents.push({ file, name, text: await readFile(toRepositoryPath(file), "utf8") });
    }
  }
  return documents;
}
