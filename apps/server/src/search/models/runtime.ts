import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The runtime of ONNX models, in the version tested by `acceptance/installs/local-model.test.ts`. */
const PACKAGE = "@huggingface/transformers";
const VERSION = "4.3.1";

/** The used part of the package. */
export interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(
    task: "feature-extraction",
    model: string,
    options?: { dtype: "q8" },
  ): Promise<
    (texts: string[], options: { pooling: "mean"; normalize: true }) => Promise<{ tolist(): number[][] }>
  >;
}

/** Loads the package from the directory or a parent, or else from the server's location; null if it is missing. */
export function loadRuntime(directory: string): Transformers | null {
  for (const from of [join(directory, "model"), import.meta.url]) {
    try {
      return createRequire(from)(PACKAGE) as Transformers;
    } catch {
      // Missing, or broken; installing it again also fixes the latter.
    }
  }
  return null;
}

const installArguments = (directory: string): string[] => [
  ...[
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefix",
    directory,
    `${PACKAGE}@${VERSION}`,
  ],
];

/** Returns the command that installs the package into a directory, for people. */
export const describeInstallation = (directory: string): string =>
  `npm install --ignore-scripts --prefix '${directory}' ${PACKAGE}@${VERSION}`;

/**
 * Installs the package into a directory with npm. Scripts are skipped: the package's only one downloads CUDA.
 * @returns false if npm is missing or fails; its own output has the reason
 */
export async function installRuntime(directory: string): Promise<boolean> {
  await mkdir(directory, { recursive: true });
  const npm = spawn("npm", installArguments(directory), { stdio: ["ignore", 2, 2] });
  const [code] = await once(npm, "close").catch(() => [1]);
  return code === 0;
}
