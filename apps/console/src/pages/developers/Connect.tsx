import { Tabs, Text } from "@mantine/core";
import { useState } from "react";
import { CopyLine } from "../../components/actions";
import { Section } from "../../components/states";
import { ReadOnlyKey } from "./Keys";

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
  const [key, setKey] = useState<string | null>(null);
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
      <ReadOnlyKey onCreated={setKey} />
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
