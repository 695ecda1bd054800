import { Button, Group, Tabs, Text } from "@mantine/core";
import { LIMITS } from "@minutes/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { settings, settingsClient } from "../../api/clients";
import { CopyLine } from "../../components/actions";
import { Section } from "../../components/states";
import { useAction } from "../../components/use-action";

/** Placeholder in the snippets until a key is created. */
const PLACEHOLDER = "YOUR_API_KEY";

interface Recipe {
  readonly name: string;
  readonly text: string;
  readonly write: (origin: string, key: string) => string;
}

/** Placeholder for the folder of a clone on the user's computer. */
const CLONE = "/path/to/minutes";

const toJson = (value: object): string => JSON.stringify(value, null, 2);

/** Writes the JSON with which assistants connect over HTTP; they differ in the name of its list. */
const writeConfiguration = (list: string, origin: string, key: string): string =>
  toJson({
    [list]: { minutes: { type: "http", url: `${origin}/mcp/key`, headers: { "x-api-key": key } } },
  });

const RECIPES: readonly Recipe[] = [
  {
    name: "curl",
    text: "Lists your newest meetings.",
    write: (origin, key) => `curl -s -H "x-api-key: ${key}" ${origin}/v1/me/meetings.list`,
  },
  {
    name: "TypeScript",
    text: "With @minutes/client, every call is typed. Until it is on npm, pack it in a clone of Minutes (README.md has the commands) and install minutes-client-0.1.0.tgz.",
    write: (origin, key) =>
      [
        'import { createMeClient } from "@minutes/client";',
        "",
        `const client = createMeClient({ baseUrl: "${origin}", apiKey: "${key}" });`,
        "const { meetings } = await client.meetings.list.query({ limit: 20 });",
        "console.log(meetings);",
      ].join("\n"),
  },
  {
    name: "Claude Code",
    text: "Run this where you use Claude Code.",
    write: (origin, key) =>
      `claude mcp add --transport http minutes ${origin}/mcp/key --header "x-api-key: ${key}"`,
  },
  {
    name: "Claude Desktop",
    text: "Add this to claude_desktop_config.json. It needs Node.js and a clone of Minutes on your computer: put the path of the clone in.",
    write: (origin, key) =>
      toJson({
        mcpServers: {
          minutes: {
            command: "node",
            args: [`${CLONE}/apps/server/bin/minutes.js`, "mcp", "--url", origin],
            env: { MINUTES_API_KEY: key },
          },
        },
      }),
  },
  {
    name: "Claude on the web",
    text: "Add a custom connector with this address in Claude's settings, and sign in. It needs no key, but Claude must reach the address from the internet by https.",
    write: (origin) => `${origin}/mcp`,
  },
  {
    name: "ChatGPT",
    text: "Turn on developer mode in ChatGPT's settings, create a connector with this address, and sign in. It needs no key, but ChatGPT must reach the address from the internet by https.",
    write: (origin) => `${origin}/mcp`,
  },
  {
    name: "Cursor",
    text: "Add this to ~/.cursor/mcp.json. Most other assistants take the same JSON.",
    write: (origin, key) => writeConfiguration("mcpServers", origin, key),
  },
  {
    name: "VS Code",
    text: "Add this to .vscode/mcp.json. Agent mode has the tools.",
    write: (origin, key) => writeConfiguration("servers", origin, key),
  },
];

/** Recipes that connect curl, the typed client and assistants. A button creates the key they need. */
export function Connect() {
  const keys = useQuery(settings.keys.list.queryOptions({}));
  const used = keys.data?.personal.filter(({ revokedAt }) => revokedAt === null).length;
  const [key, setKey] = useState<string | null>(null);
  const create = useAction(
    () => settingsClient.keys.create.mutate({ kind: "personal", name: "Connect", access: "read" }),
    {
      failure: "Could not create the key",
      success: "Read-only key created. It is filled in below and is not shown again.",
      changes: [settings.keys.pathKey()],
      onSuccess: (created) => setKey(created.key),
    },
  );
  return (
    <Section
      title="Connect"
      id="connect"
      about={
        <>
          Copy a recipe to start. The <a href="/docs">API reference</a> has every procedure.
        </>
      }
    >
      <Group gap="sm">
        <Button
          variant="default"
          disabled={used === undefined || used >= LIMITS.personalKeysPerUser || key !== null}
          loading={create.isPending}
          onClick={() => create.run()}
        >
          Create read-only key
        </Button>
        {used !== undefined && (
          <Text size="sm" c="dimmed">
            {LIMITS.personalKeysPerUser - used} of {LIMITS.personalKeysPerUser} keys left
          </Text>
        )}
      </Group>
      <Tabs defaultValue={RECIPES[0]?.name ?? ""}>
        <Tabs.List aria-label="Recipes">
          {RECIPES.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {RECIPES.map(({ name, text, write }) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Text size="sm" mb="xs">
              {text}
            </Text>
            <CopyLine value={write(location.origin, key ?? PLACEHOLDER)} label={`${name} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}
