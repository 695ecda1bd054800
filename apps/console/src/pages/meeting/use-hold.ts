import { useQuery } from "@tanstack/react-query";
import { settings, settingsClient } from "../../api/clients";
import { useAction } from "../../components/use-action";
import type { MenuEntry } from "./MeetingMenu";

const changes = [settings.retention.pathKey()];
const HOLD = "Put on hold: keep despite retention rules";

/**
 * Reads whether a meeting is on hold, so that no retention rule deletes it: a note that says so, and the action that
 * changes it. Both are null for those who are neither its owner nor an admin; while it is read, the action can't be chosen yet.
 */
export function useHold(
  meetingId: string,
  enabled: boolean,
): { readonly note: string | null; readonly action: MenuEntry | null } {
  const hold = useQuery(settings.retention.getHold.queryOptions({ meetingId }, { enabled }));
  const toggle = useAction(
    (held: boolean) => settingsClient.retention[held ? "hold" : "release"].mutate({ meetingId }),
    {
      failure: "Could not change the hold",
      success: (_, held) => (held ? "On hold." : "Released."),
      changes,
    },
  );
  if (hold.isLoading) return { note: null, action: { label: HOLD, act: () => {}, isPending: true } };
  if (hold.data === undefined) return { note: null, action: null };
  const { held, mayRelease } = hold.data;
  if (held && !mayRelease) return { note: "On hold by an admin: kept despite retention rules", action: null };
  return {
    note: held ? "On hold: kept despite retention rules" : null,
    action: {
      label: held ? "Release from hold" : HOLD,
      act: () => toggle.run(!held),
    },
  };
}
