import { open } from "node:fs/promises";
import { detectStoredAudio } from "@minutes/transcripts/audio";
import { hasAudioExtension } from "@minutes/transcripts/extensions";
import type { StreamedAudio } from "../audio/stream-mp4.js";
import type { SourceFile } from "./outcome.js";

/** An open recording on disk, which can be too long for memory. */
export interface RecordingFile extends StreamedAudio {
  readonly source: SourceFile;
  close(): Promise<void>;
}

/** Number of bytes that are read of a file at once. */
const PIECE = 1024 * 1024;

/** Opens a recording; null for any other file. @throws what opening or reading it throws */
export async function openRecording(path: string): Promise<RecordingFile | null> {
  const file = await open(path);
  try {
    const { size, mtime } = await file.stat();
    const read = async (at: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
      return buffer.subarray(0, bytesRead);
    };
    const audio: StreamedAudio = {
      size,
      read,
      async *stream(from = 0, to = size) {
        for (let at = from; at < to; at += PIECE) yield await read(at, Math.min(PIECE, to - at));
      },
    };
    if (hasAudioExtension(path) || (await detectStoredAudio(audio))) {
      const source = { name: path, bytes: new Uint8Array(), modifiedAt: mtime.toISOString() };
      return { ...audio, source, close: () => file.close() };
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return null;
}
