import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";

/** A few percent larger than Brotli's highest quality, in a tenth of the time. */
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

/** A page in the router: its kind, path and file. */
const PAGE = /\.\.\.(shell|entry),\s+path: "([^"]+)",(?:(?!createRoute).)*?import\("\.\/pages\/(\w+)"\)/gs;

/** The procedures and inputs that a page calls first if its address has no filters, as its loader in the router does. */
const READS: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  "/sign-in": [["/identity/v1/session.get", {}]],
  "/meetings": [["/console/v1/meetings.browse", { limit: 100 }]],
  "/meetings/$meetingId": [
    ["/console/v1/meetings.get", { meetingId: "$meetingId" }],
    ["/console/v1/tasks.list", { limit: 50, meetingId: "$meetingId" }],
    ["/console/v1/speakers.list", { meetingId: "$meetingId" }],
  ],
  "/upcoming": [
    ["/console/v1/upcoming.list", { limit: 100 }],
    ["/settings/v1/calendar.get", {}],
  ],
  "/tasks": [["/console/v1/tasks.list", { limit: 50, completed: false }]],
  "/people": [["/console/v1/people.list", { limit: 50 }]],
  "/members": [["/settings/v1/members.list", {}]],
  "/developers": [
    ["/settings/v1/keys.list", {}],
    ["/settings/v1/webhooks.list", {}],
  ],
};
/** Every page with the shell calls it as well. */
const ACCOUNT = ["/settings/v1/account.get", {}] as const;

/** Returns the URL of a call, as `httpLink` writes it. Names such as `$meetingId` stay for the server. */
const toUrl = ([procedure, input]: readonly [string, object]) =>
  `${procedure}?input=${encodeURIComponent(JSON.stringify({ json: input })).replaceAll("%24", "$")}`;

/**
 * Writes into index.html what each page of the router loads: its scripts, and the answers that it reads first. The server
 * links them in the page, so that the browser loads them with the shared scripts instead of after them.
 */
function listPages(): Plugin {
  const listLoads = (html: string, bundle: Rolldown.OutputBundle) => {
    const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
    const listImports = (file: string, known = new Set<string>()): Set<string> => {
      if (known.has(file)) return known;
      known.add(file);
      for (const next of chunks.find(({ fileName }) => fileName === file)?.imports ?? [])
        listImports(next, known);
      return known;
    };
    const router = readFileSync(join(import.meta.dirname, "src/router.tsx"), "utf8");
    return [...router.matchAll(PAGE)].map(([declared, frame, path, name]) => {
      const page = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/pages/${name}.tsx`));
      if (!page) throw new Error(`pages/${name}.tsx has no script of its own.`);
      const scripts = [...listImports(page.fileName)]
        .map((file) => `/${file}`)
        .filter((file) => !html.includes(file));
      const reads = [...(frame === "shell" ? [ACCOUNT] : []), ...(READS[path ?? ""] ?? [])].map(toUrl);
      const readText = (name: string) => new RegExp(`\\b${name}: "([^"]+)"`).exec(declared)?.[1] ?? "";
      return { path, frame, title: readText("title"), about: readText("about"), scripts, reads };
    });
  };
  return {
    name: "list-pages",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      // The frame needs the styles and no script: connections are few, so the styles come first.
      handler: (html, { bundle = {} }) => {
        const [styles = ""] = /<link rel="stylesheet".*>/.exec(html) ?? [];
        return html
          .replace(styles, "")
          .replace("<script", `${styles}\n    <script`)
          .replaceAll(/(<script type="module"|<link rel="modulepreload")/g, '$1 fetchpriority="low"')
          .replace("</head>", () => `  <!--pages ${JSON.stringify(listLoads(html, bundle))} -->\n  </head>`);
      },
    },
  };
}

/** Builds the console into dist/: hashed, immutable assets under /assets and one index.html without inline scripts. */
export default defineConfig({
  plugins: [react(), listPages(), precompress()],
  build: {
    target: "es2023",
    // Browsers with light-dark() and :has(): the build's fallback for older ones ignores the library's color schemes.
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    // One file for what most pages share, instead of dozens of small ones that a phone fetches one after another.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 15 }] } } },
    license: { fileName: "licenses.json" }, // Input of the notices in the server's package.
  },
});
