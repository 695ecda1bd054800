import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { EmbeddingModel } from "@minutes/search";

const HASH_BYTES = 32;
const LENGTH_BYTES = 4;

/**
 * Caches the vectors of chunks in a file, so that another ranking can be measured without encoding again. Queries are
 * always encoded, because their time is part of a search.
 */
export function withVectorCache(model: EmbeddingModel, file: string): EmbeddingModel {
  const known = readVectors(file);
  mkdirSync(dirname(file), { recursive: true });
  const hash = (text: string) => createHash("sha256").update(`${model.name}\n${text}`).digest();
  return {
    ...model,
    embed: async (texts, kind, signal) => {
      if (kind === "query") return model.embed(texts, kind, signal);
      const missing = texts.filter((text) => !known.has(hash(text).toString("hex")));
      const made = missing.length > 0 ? await model.embed(missing, kind, signal) : [];
      const records = missing.map((text, at) => {
        const vector = Float32Array.from(made[at] ?? []);
        known.set(hash(text).toString("hex"), vector);
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt32LE(vector.length);
        return Buffer.concat([hash(text), length, Buffer.from(vector.buffer)]);
      });
      appendFileSync(file, Buffer.concat(records));
      return texts.map((text) => [...(known.get(hash(text).toString("hex")) ?? [])]);
    },
  };
}

/** Reads records of a hash, the number of dimensions and the vector. A truncated record ends the file. */
function readVectors(file: string): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  if (!existsSync(file)) return vectors;
  const bytes = readFileSync(file);
  for (let at = 0; at + HASH_BYTES + LENGTH_BYTES <= bytes.length; ) {
    const length = 4 * bytes.readUInt32LE(at + HASH_BYTES);
    const begin = at + HASH_BYTES + LENGTH_BYTES;
    const vector = new Uint8Array(bytes.subarray(begin, begin + length));
    if (vector.length < length) break;
    vectors.set(bytes.toString("hex", at, at + HASH_BYTES), new Float32Array(vector.buffer));
    at = begin + length;
  }
  return vectors;
}
