import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { me, meClient } from "../../api/clients";
import { EDITED, notifyEdited } from "../../api/edits";
import { Query } from "../../components/Query";
import { Timestamp } from "../../components/times";
import { useAction } from "../../components/use-action";

type Version = Awaited<ReturnType<typeof meClient.meetings.getVersion.query>>;

const ACTIONS = { edit: "edited by", replace: "replaced by", restore: "restored by" } as const;

/** The versions of a meeting; one of them beside the current one. */
export default function Versions({ meetingId }: { meetingId: string }) {
  const [shown, show] = useState<number | null>(null);
  const query = useQuery(me.meetings.listVersions.queryOptions({ meetingId }));
  const restore = useAction(
    (input: { version: number; baseVersion: number }) =>
      meClient.meetings.restoreVersion.mutate({ meetingId, ...input }),
    {
      failure: "Could not restore the version",
      changes: EDITED,
      onSuccess: (edited) => {
        notifyEdited("Version restored.", edited);
        show(null);
      },
    },
  );
  return (
    <Query query={query}>
      {({ version: current, versions }) => (
        <Stack gap="sm">
          <ul className="readers" aria-label="Versions">
            {versions.map(({ version, at, actor, actorName, action, fields }) => (
              <li key={version}>
                <Text size="sm">
                  Version {version}
                  {version === current ? " (current)" : ""} {at && <Timestamp at={at} size="sm" c="dimmed" />}{" "}
                  {action && `${ACTIONS[action]} ${actorName ?? actor ?? ""}: ${fields.join(", ")}`}
                </Text>
                {version !== current && (
                  <Group gap="xs" wrap="nowrap">
                    <Button size="compact-sm" variant="subtle" onClick={() => show(version)}>
                      Compare
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      loading={restore.isPending}
                      onClick={() => restore.run({ version, baseVersion: current })}
                    >
                      Restore
                    </Button>
                  </Group>
                )}
              </li>
            ))}
          </ul>
          {versions.length === 1 && (
            <Text size="sm" c="dimmed">
              There is no earlier version. Edits create versions that you can compare and restore.
            </Text>
          )}
          {shown !== null && <Compared meetingId={meetingId} earlier={shown} current={current} />}
        </Stack>
      )}
    </Query>
  );
}

function Compared({ meetingId, earlier, current }: { meetingId: string; earlier: number; current: number }) {
  const left = useQuery(me.meetings.getVersion.queryOptions({ meetingId, version: earlier }));
  const right = useQuery(me.meetings.getVersion.queryOptions({ meetingId, version: current }));
  return (
    <Query query={left}>
      {(before) => (
        <Query query={right}>
          {(after) => (
            <div className="versions">
              {[before, after].map((one, at) => (
                <section key={one.version} aria-label={`Version ${one.version}`}>
                  <Text fw={600}>Version {one.version}</Text>
                  {toLines(one).map(({ key, text }) => (
                    <Text
                      key={key}
                      size="sm"
                      className="wrap-anywhere"
                      data-changed={!toLines(at === 0 ? after : before).some((other) => other.text === text)}
                    >
                      {text}
                    </Text>
                  ))}
                </section>
              ))}
            </div>
          )}
        </Query>
      )}
    </Query>
  );
}

/** Lists the content of a version, line by line. */
const toLines = ({ title, summary, tasks, segments }: Version) =>
  [
    title,
    ...(summary?.markdown.split("\n").filter((line) => line.trim() !== "") ?? []),
    ...tasks.map((task) => `Task: ${task.text}${task.assignee ? ` (${task.assignee.name})` : ""}`),
    ...segments.map(({ speakerName, text }) => `${speakerName}: ${text}`),
  ].map((text, at) => ({ key: at, text }));
