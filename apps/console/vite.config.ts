import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Brotli: a few percent larger than with the highest quality, in a tenth of its time. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/** Writes `.gz` and `.br` beside each asset, so that the server compresses nothing. */
function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    writeBundle: async ({ dir = "dist" }) => {
      const assets = join(dir, "assets");
      for (const name of await readdir(assets)) {
        const file = join(assets, name);
        const content = await readFile(file);
        if (content.length < 1024) continue;
        await writeFile(`${file}.gz`, await promisify(gzip)(content));
        await writeFile(`${file}.br`, await promisify(brotliCompress)(content, QUALITY));
      }
    },
  };
}

/** The page that each address shows first; `*` stands for an id. */
const PAGES: Readonly<Record<string, string>> = {
  "/": "Meetings",
  "/account": "Account",
  "/audit": "AuditLog",
  "/connect": "Connect",
  "/invitation": "Invitation",
  "/keys": "Keys",
  "/meetings": "Meetings",
  "/meetings/*": "Meeting",
  "/members": "Members",
  "/plan": "Plan",
  "/recorders": "Recorders",
  "/setup": "Setup",
  "/sign-in": "SignIn",
  "/tags": "Tags",
  "/tasks": "Tasks",
  "/upload": "Upload",
  "/vocabulary": "Vocabulary",
  "/webhooks": "Webhooks",
  "/webhooks/*": "Deliveries",
};

/**
 * Writes preloads.json: by address, the scripts that its page needs. The server names them in the page, so that a
 * browser fetches them beside the entry and not after it.
 */
function listPreloads(): Plugin {
  return {
    name: "list-preloads",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const collect = (name: string, found = new Set<string>()): Set<string> => {
        const chunk = chunks.find(({ fileName }) => fileName === name);
        if (!chunk || found.has(name)) return found;
        found.add(name);
        for (const next of chunk.imports) collect(next, found);
        return found;
      };
      const entry = new Set(
        chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...collect(fileName)]),
      );
      const preloads = Object.entries(PAGES).map(([address, page]) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/pages/${page}.tsx`));
        if (!chunk) throw new Error(`No script has the page ${page}.`);
        return [
          address,
          [...collect(chunk.fileName)].filter((name) => !entry.has(name)).map((name) => `/${name}`),
        ];
      });
      this.emitFile({
        type: "asset",
        fileName: "preloads.json",
        source: JSON.stringify(Object.fromEntries(preloads)),
      });
    },
  };
}

/** Builds the console into dist/: hashed, immutable assets under /assets and one index.html without inline code. */
export default defineConfig({
  plugins: [react(), listPreloads(), precompress()],
  build: {
    target: "es2023",
    // Browsers that have light-dark(): what the build would write in its place knows nothing of the library's schemes.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
  },
});
