import { GROUPS } from "./config.js";
import type { Setting } from "./settings/rules.js";

const PAGE = `# Settings

For operators: every setting, its default and what it does.

Settings are environment variables; [.env.example](../.env.example) has them all. An empty one counts as absent. A wrong one stops the
start with a message that says what it must be. \`start\` and \`doctor\` point out variables that look like a misspelled setting.
`;

const EXAMPLE = `# All settings. Copy this file to .env, remove the # of those you change, and load it into the environment of the
# process that you start: set -a; . ./.env; set +a. Minutes itself reads the environment and no file.
# docs/settings.md describes each setting. An empty one counts as absent.
`;

/** Returns a setting's default as it is written in the environment; null without one. */
function formatDefault({ schema }: Setting): string | null {
  const value: unknown = schema.safeParse(undefined).data;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return null;
  return String(value);
}

/** Writes docs/settings.md. */
export const writeSettingsPage = (): string =>
  [
    PAGE,
    ...GROUPS.map(({ title, text, settings }) => {
      const rows = Object.entries(settings).map(([name, setting]) => {
        const byDefault = formatDefault(setting);
        const shown = byDefault === null ? (setting.unset ?? "") : `\`${byDefault}\``;
        return `| \`${name}\` | ${shown}${shown && " "}| ${setting.text} |`;
      });
      const head = ["| Setting | Default | What it does |", "| --- | --- | --- |"];
      return [`## ${title}\n`, ...(text ? [`${text}\n`] : []), ...head, ...rows, ""].join("\n");
    }),
  ].join("\n");

/** Writes .env.example. */
export const writeEnvExample = (): string =>
  [
    EXAMPLE,
    ...GROUPS.map(({ title, settings }) => {
      const lines = Object.entries(settings).map(
        ([name, setting]) => `# ${name}=${setting.example ?? formatDefault(setting) ?? ""}`,
      );
      return [`# ${title}`, ...lines, ""].join("\n");
    }),
  ].join("\n");
