/** Invalid settings that prevent the start. The message has one sentence per setting. */
export class SettingsError extends Error {
  override name = "SettingsError";
}
