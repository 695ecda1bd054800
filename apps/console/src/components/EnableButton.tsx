import { Button } from "@mantine/core";
import type { QueryKey } from "@tanstack/react-query";
import { useAction } from "./use-action";

/**
 * A button that enables or disables one thing.
 * @param noun what it is, such as "key"
 */
export function EnableButton({
  noun,
  disabled,
  changes,
  act,
}: {
  noun: string;
  disabled: boolean;
  changes: readonly QueryKey[];
  act: (action: "enable" | "disable") => Promise<unknown>;
}) {
  const action = disabled ? "enable" : "disable";
  const toggle = useAction(() => act(action), {
    failure: `Could not ${action} the ${noun}`,
    success: `${noun[0]?.toUpperCase()}${noun.slice(1)} ${action}d.`,
    changes,
  });
  return (
    <Button size="xs" variant="default" loading={toggle.isPending} onClick={() => toggle.run()}>
      {disabled ? "Enable" : "Disable"}
    </Button>
  );
}
