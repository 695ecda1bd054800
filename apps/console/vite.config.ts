import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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

/** Builds the console into dist/: hashed, immutable assets under /assets and one index.html without inline scripts. */
export default defineConfig({
  plugins: [react(), precompress()],
  build: {
    target: "es2023",
    // Browsers with light-dark(): the build's fallback for older ones ignores the library's color schemes.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    // One file for what most pages share, instead of dozens of small ones that a phone fetches one after another.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 14 }] } } },
    license: { fileName: "licenses.json" }, // Input of the notices in the server's package.
  },
});
