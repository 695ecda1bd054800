import { Stack, Text, Title } from "@mantine/core";
import { CopyLine } from "../components/actions";
import { Page } from "../components/states";

const KEY = "$MINUTES_API_KEY";

/** Ready snippets for curl, the typed client and assistants. */
export function Connect() {
  const { origin } = location;
  const snippets = [
    {
      title: "curl",
      text: "List meetings with a personal key.",
      code: `curl -s -H "x-api-key: ${KEY}" ${origin}/v1/me/meetings.list`,
    },
    {
      title: "TypeScript",
      text: "Install @minutes/client; every call is typed.",
      code: [
        'import { createMeClient } from "@minutes/client";',
        "",
        "const client = createMeClient({",
        `  baseUrl: "${origin}",`,
        '  apiKey: process.env.MINUTES_API_KEY ?? "",',
        "});",
        "const { meetings } = await client.meetings.list.query({ limit: 20 });",
      ].join("\n"),
    },
    {
      title: "Assistants (MCP)",
      text: "Add this server to an assistant that speaks MCP over HTTP.",
      code: JSON.stringify(
        { mcpServers: { minutes: { url: `${origin}/mcp`, headers: { "x-api-key": KEY } } } },
        null,
        2,
      ),
    },
  ];
  return (
    <Page title="Connect">
      <Text size="sm" c="dimmed">
        Create a key on the page API keys first. The reference of the API is at <a href="/docs">/docs</a>.
      </Text>
      <Stack gap="xl">
        {snippets.map(({ title, text, code }) => (
          <section key={title} aria-label={title}>
            <Title order={2} size="h4">
              {title}
            </Title>
            <Text size="sm" mb="xs">
              {text}
            </Text>
            <CopyLine value={code} label={`${title} snippet`} />
          </section>
        ))}
      </Stack>
    </Page>
  );
}
