import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { useAction } from "../../components/use-action";

const changes = [settings.retention.pathKey()];

/** Puts a meeting on hold, so that no retention rule deletes it, or releases it. For its owner and admins. */
export function Hold({ meetingId }: { meetingId: string }) {
  const hold = useQuery(settings.retention.getHold.queryOptions({ meetingId }));
  const toggle = useAction(
    (held: boolean) => settingsClient.retention[held ? "hold" : "release"].mutate({ meetingId }),
    {
      failure: "Could not change the hold",
      success: (_, held) => (held ? "On hold: no retention rule deletes it." : "Released."),
      changes,
    },
  );
  if (hold.data === undefined) return null;
  const { held, mayRelease } = hold.data;
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      disabled={held && !mayRelease}
      title={held && !mayRelease ? "An admin put this meeting on hold." : undefined}
      loading={toggle.isPending}
      onClick={() => toggle.run(!held)}
    >
      {held ? "Release from hold" : "Hold"}
    </Button>
  );
}
