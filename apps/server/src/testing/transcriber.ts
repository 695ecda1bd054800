import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request to the transcriber. */
interface TranscriptionRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  /** Fields of the form other than the file. */
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | null;
}

/** Answers one request; the number counts from 1. An object is sent as JSON. */
type Answer = (response: ServerResponse, number: number, request: TranscriptionRequest) => object | undefined;

/** The answer of OpenAI's `whisper-1` with `response_format=verbose_json`, shortened. */
export const SPOKEN = {
  task: "transcribe",
  language: "english",
  duration: 9.5,
  text: " We talked about the turbines, the budget and the supplier. I will call them tomorrow.",
  segments: [
    {
      ...{ id: 0, seek: 0, start: 0, end: 4.48, tokens: [50364, 492], temperature: 0 },
      ...{ avg_logprob: -0.28, compression_ratio: 1.1, no_speech_prob: 0.01 },
      text: " We talked about the turbines, the budget and the supplier.",
    },
    {
      ...{ id: 1, seek: 0, start: 5.25, end: 9.5, tokens: [50364, 286], temperature: 0 },
      ...{ avg_logprob: -0.31, compression_ratio: 1.1, no_speech_prob: 0.02 },
      text: " I will call them tomorrow.",
    },
  ],
};

/** The same with speakers, as servers with WhisperX answer. */
export const DIARIZED = {
  ...SPOKEN,
  segments: SPOKEN.segments.map((segment, at) => ({ ...segment, speaker: `SPEAKER_0${at}` })),
};

/** Starts an OpenAI-compatible `/v1/audio/transcriptions` until the test ends. */
export async function startTranscriber(answer: Answer = () => SPOKEN) {
  const asked: TranscriptionRequest[] = [];
  const service = http.createServer(async (request, response) => {
    const sent = await buffer(request).catch(() => null);
    if (!sent) return; // its sender ended it early
    const type = request.headers["content-type"];
    const form = type
      ? await new Response(sent, { headers: { "content-type": type } }).formData()
      : new FormData();
    const file = form.get("file");
    const fields = [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const one = {
      path: request.url,
      authorization: request.headers.authorization,
      fields: Object.fromEntries(fields),
      file:
        file instanceof Blob ? { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } : null,
    };
    const body = answer(response, asked.push(one), one);
    if (body) response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const stop = () => {
    service.closeAllConnections();
    service.close();
  };
  onTestFinished(stop);
  return { asked, stop, url: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1` };
}

/** Creates a valid WAV file: one channel of a quiet tone, 8,000 samples a second of 16 bits. */
export function createWav(seconds = 1): Buffer {
  const samples = Math.round(8_000 * seconds);
  const wav = Buffer.alloc(44 + 2 * samples);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  for (const [at, value] of [1, 1].entries()) wav.writeUInt16LE(value, 20 + 2 * at);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(2 * samples, 40);
  for (let at = 0; at < samples; at++)
    wav.writeInt16LE(Math.round(1_000 * Math.sin((2 * Math.PI * 440 * at) / 8_000)), 44 + 2 * at);
  return wav;
}
