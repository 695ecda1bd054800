import { type Config, parseConfig, SettingsError } from "../../config/config.js";
import { describeUnknownSetting, findUnknownSettings } from "../../config/unknown-settings.js";
import { findConverter } from "../../operations/audio/convert.js";
import { readCertificates } from "../../operations/deliver.js";
import { chooseTranscriber } from "../../operations/transcriber/choose.js";
import { getFixedModel, loadFixedModel } from "../../search/similarity.js";
import type { Connect } from "../cli/command.js";
import { findRunningServer } from "../operator/request.js";
import type { database } from "../procedures/inspect.js";
import { checkBackups } from "./backups.js";
import { type Check, fail, ok, warn } from "./check.js";
import { checkConverter } from "./converter.js";
import { checkDatabase } from "./database.js";
import { checkDataDir, checkDisk, checkNodeVersion } from "./machine.js";
import { checkOidc } from "./oidc.js";
import { checkMetricsPort, checkPort, findPortUser } from "./port.js";
import { checkTranscriber } from "./transcriber.js";
import { checkMailServer, checkReady, checkTransport } from "./transport.js";

const getPort = (url: string): number => Number(new URL(url).port || 80);

/** Runs all checks of an installation. Skips checks that depend on invalid settings. */
export async function checkInstallation(
  source: Readonly<Record<string, string | undefined>>,
  connect: Connect<{ database: typeof database }>,
): Promise<Check[]> {
  let settings: Config;
  try {
    settings = parseConfig(source);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [checkNodeVersion(), ...error.message.split("\n").map((sentence) => fail("Settings", sentence))];
  }
  const url = await findRunningServer(settings);
  // Without PORT, a server can listen on another port than the default one.
  const config = url === null ? settings : { ...settings, PORT: getPort(url) };
  const machine =
    config.DATABASE_URL === undefined ? [await checkDataDir(config), await checkDisk(config)] : [];
  const user = await findPortUser(config);
  const unknown = findUnknownSettings(source).map((setting) =>
    warn("Settings", describeUnknownSetting(setting)),
  );
  const unusable = await checkFiles(config);
  const transcriber = await chooseTranscriber(config, source.PATH);
  return [
    checkNodeVersion(),
    ...unknown,
    ...(unusable.length > 0
      ? unusable
      : [ok("Settings", config.DATABASE_URL === undefined ? "embedded database." : "PostgreSQL.")]),
    ...machine,
    ...(machine.some(({ status }) => status === "fail")
      ? []
      : await checkDatabase(config, connect, user === "minutes")),
    ...(await checkBackups(config)),
    ...checkTransport(config),
    ...(await checkMailServer(config)),
    ...(await checkOidc(config)),
    ...(await checkTranscriber(transcriber)),
    ...(await checkConverter(transcriber, await findConverter(source.PATH))),
    checkPort(config, user),
    ...(user === "nobody" ? await checkMetricsPort(config) : []),
    ...(user === "minutes" ? await checkReady(config) : []),
  ];
}

/** Loads what settings name, as a start does: certificates and the search model. */
async function checkFiles(config: Config): Promise<Check[]> {
  const model = getFixedModel(config);
  const results = await Promise.allSettled([
    readCertificates(config),
    ...(model === null ? [] : [loadFixedModel(model, config)]),
  ]);
  return results.flatMap((result) => {
    if (result.status === "fulfilled") return [];
    if (!(result.reason instanceof SettingsError)) throw result.reason;
    return [fail("Settings", result.reason.message)];
  });
}
