import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ExplainedError } from "@minutes/db";
import type { DownloadableModel } from "./catalogue.js";

/** A download that failed; the message names the file and says what to do. */
export class DownloadError extends ExplainedError {
  override name = "DownloadError";
}

export interface DownloadOptions {
  /** Base URL of the mirror, with the same layout as huggingface.co. */
  readonly mirror: string;
  /** Called with the number of downloaded bytes of the model. */
  readonly onProgress?: (bytes: number) => void;
  readonly fetch?: typeof fetch;
}

type ModelFile = DownloadableModel["files"][number];

/** Returns a model's directory within the directory of all models. */
export const getModelDirectory = (models: string, { name }: DownloadableModel): string => join(models, name);

/** Returns true if all files of a model exist with the right size. Their checksums were verified on download. */
export async function isInstalled(models: string, model: DownloadableModel): Promise<boolean> {
  const sizes = await Promise.all(
    model.files.map(async ({ path, bytes }) => {
      const found = await stat(join(getModelDirectory(models, model), path)).catch(() => null);
      return found?.size === bytes;
    }),
  );
  return sizes.every(Boolean);
}

/**
 * Downloads missing files of a model. A file gets its name once its checksum is verified, so an interrupted download
 * leaves nothing that would be used, and a rerun continues with the next file.
 * @throws DownloadError
 */
export async function downloadModel(
  models: string,
  model: DownloadableModel,
  { mirror, onProgress = () => {}, fetch: get = fetch }: DownloadOptions,
): Promise<void> {
  let done = 0;
  for (const file of model.files) {
    const target = join(getModelDirectory(models, model), file.path);
    if ((await computeChecksum(target)) !== file.sha256) {
      const path = `${model.repository}/resolve/${model.revision}/${file.path}`;
      const address = new URL(path, mirror.endsWith("/") ? mirror : `${mirror}/`);
      await downloadFile(address, target, file, get, (bytes) => onProgress(done + bytes));
    }
    done += file.bytes;
    onProgress(done);
  }
}

async function downloadFile(
  address: URL,
  target: string,
  file: ModelFile,
  get: typeof fetch,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const response = await get(address).catch(() => {
    throw new DownloadError(
      `The mirror ${address.origin} can't be reached. Set EMBEDDINGS_MIRROR to use another one.`,
    );
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new DownloadError(`The mirror answered ${response.status} for ${file.path}.`);
  }
  const part = `${target}.part`;
  await mkdir(dirname(target), { recursive: true });
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    // Opened before the pipeline starts: a stream that opens the file itself could create it after its removal below.
    const handle = await open(part, "w");
    await pipeline(
      Readable.fromWeb(response.body as import("node:stream/web").ReadableStream),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          // A mirror that sends something else must not fill the disk.
          if (bytes > file.bytes) break;
          hash.update(chunk);
          onProgress(bytes);
          yield chunk;
        }
      },
      handle.createWriteStream(),
    );
    if (bytes !== file.bytes || hash.digest("hex") !== file.sha256)
      throw new DownloadError(
        `${file.path} has a wrong checksum and was discarded. Try again, or use another mirror.`,
      );
    await rename(part, target);
  } catch (error) {
    await response.body.cancel().catch(() => {});
    await rm(part, { force: true });
    if (error instanceof DownloadError || (error as NodeJS.ErrnoException).code === "ENOSPC") throw error;
    throw new DownloadError(`The download of ${file.path} was interrupted. Run the command again.`);
  }
}

/** Computes the SHA-256 of a file; null if it does not exist. */
async function computeChecksum(file: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(file), hash);
    return hash.digest("hex");
  } catch {
    return null;
  }
}
