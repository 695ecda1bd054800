import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import loadWabt from "wabt";

const encoder = new URL("../src/", import.meta.url);

/** Compiles `src/multiply.wat`, the encoder's matrix multiplication. */
export async function compileMultiply(): Promise<Uint8Array> {
  const { parseWat } = await loadWabt();
  const source = readFileSync(new URL("multiply.wat", encoder), "utf8");
  const module = parseWat("multiply.wat", source, { simd: true });
  module.validate();
  return module.toBinary({}).buffer;
}

// pnpm --filter @minutes/encoder exec tsx scripts/build-multiply.ts
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL("multiply.wasm", encoder), await compileMultiply());
