import { Anchor, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type QueryKey, useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { queryClient } from "../api/clients";
import { toSignInPage } from "../api/own-address";
import { getErrorMessage, needsRecentSignIn } from "../api/transport";

export interface ActionOptions<Input, Output> {
  /** Title of the error notification, such as "Could not share the meeting". */
  readonly failure: string;
  /** Text of the success notification; none if absent. */
  readonly success?: string | ((output: Output, input: Input) => string);
  /**
   * Queries to invalidate. They are refetched before the action is done; after a failure, which can have changed a part,
   * they are refetched, too.
   */
  readonly changes?: readonly QueryKey[];
  /** Undoes the action. Adds an Undo button to the success notification. */
  readonly undo?: (input: Input) => Promise<unknown>;
  /** Tells other components that it runs, with `useIsMutating`. */
  readonly key?: QueryKey;
  readonly onSuccess?: (output: Output, input: Input) => unknown;
  /** Handles a failure instead of a notification; returns false to show one anyway. */
  readonly onFailure?: (error: unknown) => boolean;
}

/** An action of a button. */
export interface Action<Input, Output> {
  /** Runs the action unless it is already running, so a double click sends once. */
  run(input: Input): void;
  readonly isPending: boolean;
  readonly input: Input | undefined;
  readonly output: Output | undefined;
  readonly error: unknown;
}

const refresh = (keys: readonly QueryKey[] = []) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Runs a button's action: pending state, notifications, invalidation and undo. */
export function useAction<Output, Input = void>(
  act: (input: Input) => Promise<Output>,
  { failure, success, changes, undo, key, onSuccess, onFailure }: ActionOptions<Input, Output>,
): Action<Input, Output> {
  // A second click can arrive before the pending state renders.
  const running = useRef(false);
  const mutation = useMutation({
    ...(key ? { mutationKey: key } : {}),
    mutationFn: act,
    onSettled: () => {
      running.current = false;
    },
    onSuccess: async (output, input) => {
      if (success !== undefined)
        notifySuccess(
          typeof success === "string" ? success : success(output, input),
          undo &&
            (() =>
              void undo(input).then(
                () => refresh(changes),
                (error) => notifyFailure("Could not undo", error),
              )),
        );
      await onSuccess?.(output, input);
      await refresh(changes);
    },
    onError: (error) => {
      if (!onFailure?.(error)) notifyFailure(failure, error);
      void refresh(changes);
    },
  });
  return {
    run: (input) => {
      if (running.current) return;
      running.current = true;
      mutation.mutate(input);
    },
    isPending: mutation.isPending,
    input: mutation.variables,
    output: mutation.data,
    error: mutation.error,
  };
}

/**
 * Shows a success notification, with an Undo button if there is something to undo.
 * @param onKept called when the notification closes without an undo. It stays while the pointer is on it.
 */
export function notifySuccess(message: string, undo?: () => void, onKept?: () => void): string {
  let isUndone = false;
  const id = notifications.show({
    message: undo ? (
      <div className="undo">
        <span>{message}</span>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            isUndone = true;
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </div>
    ) : (
      message
    ),
    color: "green",
    autoClose: undo ? 10_000 : 4_000,
    onClose: () => {
      if (!isUndone) onKept?.();
    },
  });
  return id;
}

/** Shows an error notification. If the action needs a recent sign-in, offers to sign in and return. */
export function notifyFailure(title: string, error: unknown): void {
  const signInAgain = needsRecentSignIn(error);
  const message: ReactNode = signInAgain ? (
    <>
      {getErrorMessage(error)} <Anchor href={toSignInPage()}>Go to the sign-in page</Anchor>
    </>
  ) : (
    getErrorMessage(error)
  );
  notifications.show({
    title: signInAgain ? "Sign in again" : title,
    message,
    color: "red",
    autoClose: signInAgain ? false : 8_000,
  });
}
