import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import { toRepositoryPath } from "./run.js";

const GENERATED = new Set(["node_modules", "dist", "data", "migrations"]);
const KEPT_DOT_FOLDERS = new Set([".github", ".ci", ".changeset", ".devcontainer"]);
const TEXT = /\.(ts|tsx|mjs|cjs|js|md|py|sh|yaml|yml|json)$/;

/** A text file of the repository. */
export interface RepositoryFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Reads every edited text file: no dependencies, no build output, no generated SQL. */
export async function readRepository(folder = ""): Promise<RepositoryFile[]> {
  const files: RepositoryFile[] = [];
  for (const entry of await readdir(toRepositoryPath(folder || "."), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    const hidden = entry.name.startsWith(".") && !KEPT_DOT_FOLDERS.has(entry.name);
    if (entry.isDirectory()) {
      if (!hidden && !GENERATED.has(entry.name)) files.push(...(await readRepository(path)));
    } else if (TEXT.test(entry.name)) {
      files.push({ path, text: await readFile(toRepositoryPath(join(path)), "utf8") });
    }
  }
  return files;
}

/** Returns the anchors of a Markdown document: those GitHub generates for headings, and explicit ids. */
export function getAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const prose = markdown.replaceAll(/^```.*?^```$/gms, "");
  for (const [, id] of prose.matchAll(/<a id="([^"]+)">/g)) if (id) anchors.add(id);
  const slugger = new GithubSlugger();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    anchors.add(slugger.slug(heading.replaceAll(/<[^>]+>|\[([^\]]*)\]\([^)]*\)|`/g, "$1")));
  }
  return anchors;
}
