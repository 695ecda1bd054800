import { ApiError } from "@minutes/core";
import type { RequestHandler } from "express";
import type { AudioUploads } from "../../operations/audio/audio-uploads.js";
import { sendError } from "../oauth/serve.js";
import type { AppServices } from "../routes/services.js";
import type { TusOptions } from "./tus.js";

/** Path of uploads of audio by the tus protocol. */
export const AUDIO_UPLOADS = "/audio/v1/uploads";

/** Serves uploads of audio. Their code is loaded by the first one. */
export function serveAudio(
  dependencies: AppServices,
  audio: AudioUploads,
  onFault: TusOptions["onFault"],
): RequestHandler {
  if ("refusal" in audio)
    return (_request, response) => sendError(response, new ApiError("NOT_IMPLEMENTED", audio.refusal));
  let handler: Promise<RequestHandler> | undefined;
  return async (request, response, next) => {
    handler ??= import("./tus.js").then(({ createTusHandler }) =>
      createTusHandler(dependencies, audio, { path: AUDIO_UPLOADS, onFault }),
    );
    await (await handler)(request, response, next);
  };
}
