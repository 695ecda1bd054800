import { Button, Group, Text } from "@mantine/core";
import type { QueryKey } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { getErrorMessage, getStatus } from "../api/transport";
import { describeReaders, MemberField, shareWithEach, useReaders } from "./MemberField";
import { notifySuccess, useAction } from "./use-action";

interface Reader {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  /** Says why they can read it; empty if there is only one way. */
  readonly reason: string;
  /** False for those who read it by another way than this share, which is not ended here. */
  readonly direct: boolean;
}

interface ShareWithProps {
  readonly what: "meeting" | "tag";
  /** Heading of the list. */
  readonly title: string;
  readonly readers: readonly Reader[];
  readonly share: (email: string) => Promise<unknown>;
  readonly unshare: (email: string) => Promise<unknown>;
  readonly changes: readonly QueryKey[];
  /** Says what else can be done for an address that belongs to no member. */
  readonly hint?: string;
  /** Further entries of the list. */
  readonly children?: ReactNode;
}

/** Shares a meeting or a tag with members by a field, and lists who can read it. Both ways can be undone. */
export function ShareWith({ title, readers, children, ...sharing }: ShareWithProps) {
  const { members, toEmails } = useReaders();
  const [chosen, setChosen] = useState("");
  const { share, unshare, refusal, setRefusal } = useSharing({ ...sharing, onShared: () => setChosen("") });
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const direct = readers.filter((reader) => reader.direct).map(({ email }) => email);
          if (chosen.trim() !== "") share.run(toEmails(chosen).filter((email) => !direct.includes(email)));
        }}
      >
        <Group align="flex-start">
          <MemberField
            label="Share with"
            members={members}
            value={chosen}
            onChange={(value) => {
              setChosen(value);
              setRefusal(null);
            }}
            error={refusal}
            // It has the focus when the dialog opens, and an open list would cover what is below it.
            openOnFocus={false}
            flex={1}
          />
          <Button
            type="submit"
            className="beside-field"
            disabled={chosen.trim() === ""}
            loading={share.isPending}
          >
            Share
          </Button>
        </Group>
      </form>
      <section aria-label={title}>
        <Text size="sm" fw={600} mb={4}>
          {title}
        </Text>
        <ul className="readers">
          <li>
            <Text size="sm">You, the owner</Text>
          </li>
          {readers.map(({ userId, name, email, reason, direct }) => (
            <li key={userId}>
              <span>
                <Text size="sm" span>
                  {name}
                </Text>{" "}
                <Text size="sm" c="dimmed" span>
                  {reason}
                </Text>
              </span>
              {direct && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Remove ${name}`}
                  // One removal at a time: a second one would be dropped.
                  disabled={unshare.isPending}
                  onClick={() => unshare.run(email)}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
          {children}
        </ul>
      </section>
    </>
  );
}

type SharingOptions = Omit<ShareWithProps, "title" | "readers" | "children"> & { onShared: () => void };

/** Shares with people by their addresses, and stops; both can be undone. */
function useSharing({ what, hint = "", changes, onShared, ...calls }: SharingOptions) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const share = useAction((added: readonly string[]) => shareWithEach(added, calls.share), {
    failure: `Could not share the ${what}`,
    changes,
    onFailure: (error) => {
      const isStranger = [404, 409].includes(getStatus(error) ?? 0);
      if (isStranger) setRefusal(`${getErrorMessage(error)} ${hint}`.trim());
      return isStranger;
    },
    onSuccess: (_, added) => {
      onShared();
      if (added.length === 0) return notifySuccess("They can read it already.");
      return notifySuccess(`Shared with ${describeReaders(added)}.`, () => void takeBack.run(added));
    },
  });
  const takeBack = useAction((added: readonly string[]) => shareWithEach(added, calls.unshare), {
    failure: "Could not undo",
    changes,
  });
  const unshare = useAction(calls.unshare, {
    failure: `Could not stop sharing the ${what}`,
    success: (_, reader) => `No longer shared with ${reader}.`,
    undo: calls.share,
    changes,
  });
  return { share, unshare, refusal, setRefusal };
}
