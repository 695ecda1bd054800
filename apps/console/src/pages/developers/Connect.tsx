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

/** Writes the JSON with which assistants connect over HTTP; they differ in the name of its list. */
const writeConfiguration = (list: string, origin: string, key: string): string =>
  JSON.stringify(
    { [list]: { minutes: { type: "http", url: `${origin}/mcp/key`, headers: { "x-api-key": key } } } },
    null,
    2,
  );

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
    text: "Run this where you use Claude Code. docs/assistants.md has the other assistants, and what each requires.",
    write: (origin, key) =>
      `claude mcp add --transport http minutes ${origin}/mcp/key --header "x-api-key: ${key}"`,
  },
  {
    name: "Assistants (MCP)",
    text: "Add this to the MCP configuration of your assistant, such as Cursor's mcp.json.",
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
