import { Anchor, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type QueryKey, useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { queryClient } from "../api/clients";
import { toSignInPage } from "../api/own-address";
import { getSentence, needsRecentSignIn } from "../api/transport";

interface ActionOptions<Input, Output> {
  /** Title of the note about a failure, such as "Could not share the meeting". */
  readonly failure: string;
  /** What a note says when it is done; no note without it. */
  readonly success?: string | ((output: Output, input: Input) => string);
  /** The queries whose answers it changes. They are fetched again before it counts as done. */
  readonly changes?: readonly QueryKey[];
  /** What takes it back. The note about its success then has a button "Undo". */
  readonly undo?: (input: Input) => Promise<unknown>;
  readonly onSuccess?: (output: Output, input: Input) => unknown;
  /** Called with a failure in place of a note; returns false to have the note as well. */
  readonly onFailure?: (error: unknown) => boolean;
}

/** Something that a button does. */
export interface Action<Input, Output> {
  /** Starts it, unless it is running: a double click sends once. */
  run(input: Input): void;
  readonly isPending: boolean;
  readonly input: Input | undefined;
  readonly output: Output | undefined;
  readonly error: unknown;
}

const refresh = (keys: readonly QueryKey[] = []) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));

/** Runs what a button does: pending state, notes about success and failure, fetching again what changed, and undo. */
export function useAction<Output, Input = void>(
  act: (input: Input) => Promise<Output>,
  { failure, success, changes, undo, onSuccess, onFailure }: ActionOptions<Input, Output>,
): Action<Input, Output> {
  // A second click can come before the pending state is rendered.
  const running = useRef(false);
  const mutation = useMutation({
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

/** Shows a note about something that was done, with a button that takes it back. */
export function notifySuccess(
  message: string,
  undo?: () => void,
  milliseconds = undo ? 10_000 : 4_000,
): string {
  const id = notifications.show({
    message: undo ? (
      <div className="undo">
        <span>{message}</span>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
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
    autoClose: milliseconds,
  });
  return id;
}

/** Shows why something was not done. Where the sign-in is too old for it, offers to sign in again and to come back. */
export function notifyFailure(title: string, error: unknown): void {
  const signInAgain = needsRecentSignIn(error);
  const message: ReactNode = signInAgain ? (
    <>
      {getSentence(error)} <Anchor href={toSignInPage()}>Go to the sign-in page</Anchor>
    </>
  ) : (
    getSentence(error)
  );
  notifications.show({
    title: signInAgain ? "Sign in again" : title,
    message,
    color: "red",
    autoClose: signInAgain ? false : 8_000,
  });
}
