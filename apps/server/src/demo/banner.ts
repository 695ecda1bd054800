import type { Sample } from "./keys-file.js";
import type { Entry } from "./startup-link.js";

/** Lists the sample's keys, each with a one-line call that can be pasted into a shell. */
export function describeSample(sample: Omit<Sample, "workspaceId">, url: string, command: string): string[] {
  const { personalKey, workspaceKey, person, email, workspace } = sample;
  const lines = [`The sample workspace "${workspace}" is loaded. Its keys:`];
  if (personalKey) lines.push(`  personal key of ${person}, ${email}: ${personalKey}`);
  if (workspaceKey) lines.push(`  workspace key: ${workspaceKey}`);
  if (!personalKey && !workspaceKey) lines.push(`  no active ones; \`${command} keys create\` makes one`);
  lines.push("");
  if (personalKey) lines.push(`curl -s -H 'x-api-key: ${personalKey}' ${url}/v1/me/meetings.list`);
  if (workspaceKey) {
    lines.push(
      `curl -s -H 'x-api-key: ${workspaceKey}' -G ${url}/v1/workspace/meetings.list --data-urlencode 'input={"json":{"limit":3}}'`,
    );
  }
  return [...lines, "", `\`${command} demo remove\` erases the sample.`];
}

/** Says how the first person gets in. */
export function describeEntry({ kind, link }: Entry, sample: Sample | null, command: string): string[] {
  if (kind === "login")
    return [
      "No account has a password yet. To sign in, create a link for one of the users:",
      `  ${command} users list`,
      `  ${command} login <e-mail>`,
    ];
  return [
    kind === "sample"
      ? "Open this link in a browser to read the sample's meetings. It works once, within 30 minutes:"
      : "No account has a password yet. Open this link in a browser to set up a workspace. It works once, within 30 minutes:",
    `  ${link}`,
    ...(sample ? [`For another link: ${command} login ${sample.email}`] : []),
  ];
}

/** Describes how to create the first workspace and key without a sample. */
export const describeFirstSteps = (command: string): string[] => [
  "The database has no users, and no sample was loaded. To create the first workspace, user and key:",
  "",
  `${command} workspaces create 'My company' --plan team`,
  `${command} users create me@example.com --name 'My name' --workspace 'My company' --role admin`,
  `${command} keys create me@example.com`,
];
