import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { PAGES, toReadAddress, writeFrame } from "./src/shell/pages";

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

/** Writes the frame's styles into the page, and lets the others load while the frame is shown already. */
function inlineFrameStyles(): Plugin {
  return {
    name: "inline-frame-styles",
    transformIndexHtml: {
      order: "post",
      handler: async (html) => {
        const styles = (await readFile(join(import.meta.dirname, "src/shell/frame.css"), "utf8"))
          .replaceAll(/\/\*.*?\*\//gs, "")
          .replaceAll(/\s+/g, " ");
        const links = [...html.matchAll(/ *<link rel="stylesheet"[^>]*>\n/g)].map(([link]) => link);
        return links
          .reduce((rest, link) => rest.replace(link, ""), html)
          .replace("></style>", `>${styles.trim()}</style>`)
          .replace("<!-- styles -->", links.join("").trim());
      },
    },
  };
}

/**
 * Writes pages.json: by address, what the server puts into the page that it sends. The frame is shown before any script
 * runs; scripts and first reads are named, so that a browser fetches them beside the entry and not after it.
 */
function listPages(): Plugin {
  return {
    name: "list-pages",
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
      const findChunk = (file: string) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${file}`));
        if (!chunk) throw new Error(`No script has ${file}.`);
        return chunk.fileName;
      };
      const main = chunks.find(({ isEntry }) => isEntry);
      const entry = collect(main?.fileName ?? "");
      const pages = Object.entries(PAGES).map(([address, page]) => {
        const needed = new Set<string>();
        for (const name of [...(main?.dynamicImports ?? []), findChunk(`pages/${page.file}.tsx`)])
          collect(name, needed);
        const scripts = [...needed].filter((name) => !entry.has(name));
        return [
          address,
          {
            scripts: scripts.map((name) => `/${name}`),
            reads: page.reads.map(toReadAddress),
            frame: writeFrame(address, page),
          },
        ];
      });
      this.emitFile({
        type: "asset",
        fileName: "pages.json",
        source: JSON.stringify(Object.fromEntries(pages)),
      });
    },
  };
}

const COMPONENTS = "Text|Button|Loader|Input|InputBase|TextInput|NativeSelect|Alert|Group|Stack";
const DIALOGS = "Modal|ModalBase|ScrollArea|Popover|Portal|Overlay|FocusTrap|Floating";

/**
 * The files that most pages share, first match first; a group takes along what its modules import. Few files are fetched
 * sooner than many over HTTP/1.1. A page without dialogs must not need the script that has them.
 */
const CHUNKS = [
  { name: "preload", test: /preload-helper/ },
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: "router", test: /@tanstack\/(react-router|router-core|history|react-store|store)\// },
  { name: "data", test: /@tanstack\/(react-query|query-core)\/|@trpc\// },
  {
    name: "components",
    test: new RegExp(`get-nonce|@mantine/(hooks|core/esm/(core|components/(${COMPONENTS}))/)`),
    minShareCount: 8,
  },
  {
    name: "dialogs",
    test: new RegExp(`@mantine/core/esm/components/(${DIALOGS})/|react-remove-scroll`),
    minShareCount: 4,
  },
  {
    name: "app",
    test: /console\/src\/(api|components)\/(clients|connection|filters|transport|Query|states|times)/,
    minShareCount: 5,
  },
  // A request costs more than a kilobyte that this page does not need.
  { name: "small", test: /\.(js|mjs|ts|tsx)$/, minShareCount: 3, maxModuleSize: 5000 },
].map((group, at, { length }) => ({ ...group, priority: length - at }));

/** Builds the console into dist/: hashed, immutable assets under /assets and one index.html without inline code. */
export default defineConfig({
  plugins: [react(), inlineFrameStyles(), listPages(), precompress()],
  build: {
    target: "es2023",
    // Browsers that have light-dark(): what the build would write in its place knows nothing of the library's schemes.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    license: { fileName: "licenses.json" }, // what the server's package says about the packages in the scripts
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
});
