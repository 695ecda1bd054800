import { type UseFormReturnType, useForm } from "@mantine/form";
import { useState } from "react";
import type { z } from "zod";
import { readUserId } from "../api/account";
import { loadWhenReachable } from "../api/connection";
import { keepDraft, readDraft } from "../api/drafts";
import { getErrorMessage, getStatus } from "../api/transport";
import { describeIssue, toSentence } from "./describe-issue";
import { type Action, type ActionOptions, useAction } from "./use-action";

type Contract = typeof import("@minutes/contract");

/**
 * Loads the contract's schemas, which are larger than most pages and needed only once a form is used. Null if they can't be
 * loaded; the server checks the input anyway.
 */
const loadContract = () => loadWhenReachable<Contract>(() => import("@minutes/contract")).catch(() => null);

interface ContractFormOptions<Values, Input, Output>
  extends Omit<ActionOptions<Values, Output>, "onFailure"> {
  /** Returns the input schema of the procedure that the form calls. */
  readonly schema: (contract: Contract) => z.ZodType;
  readonly initial: Values;
  /** Converts the form's values to the procedure's input. Fields are matched by name. */
  readonly toInput: (values: Values) => Input;
  /** Calls the procedure. */
  readonly send: (input: Input) => Promise<Output>;
  /** Stores unsaved input under this name. Absent for passwords and other secrets. */
  readonly draft?: string;
  /** Returns other failures as `failed` for the form to show, instead of notifying. */
  readonly failsInline?: boolean;
}

export interface ContractForm<Values extends object, Output>
  extends UseFormReturnType<Values>,
    Pick<Action<Values, Output>, "isPending" | "output"> {
  /** True if the values were restored from unsaved input. */
  readonly isRestored: boolean;
  /** A failure that names no field; null unless `failsInline`. */
  readonly failed: unknown;
  /** Resets the form to its initial values. */
  discard(): void;
  /** Sends validated values. A refusal is shown next to its field, if it names one. */
  send(values: Values): void;
  /** Props of the `form` element, which validates and sends. */
  readonly props: Pick<React.ComponentProps<"form">, "onSubmit" | "onFocus" | "noValidate">;
}

/**
 * Creates a form that validates its fields with the contract's schema, calls a procedure and then resets itself. Unsaved
 * input survives the back button and a reload.
 * @see docs/decisions/0110-console.md
 */
export function useContractForm<Values extends Record<string, unknown>, Input, Output>({
  schema,
  initial,
  toInput,
  send,
  draft,
  failsInline = false,
  onSuccess,
  ...options
}: ContractFormOptions<Values, Input, Output>): ContractForm<Values, Output> {
  const userId = readUserId();
  const keep = (values: Values | undefined) => {
    if (draft !== undefined) keepDraft(userId, draft, values);
  };
  const [kept] = useState(() =>
    draft === undefined ? undefined : (readDraft(userId, draft) as Partial<Values> | undefined),
  );
  const [isRestored, setRestored] = useState(kept !== undefined);
  const form = useForm<Values>({
    initialValues: { ...initial, ...kept },
    validate: async (values) => {
      const contract = await loadContract();
      const error = contract && schema(contract).safeParse(toInput(values)).error;
      return Object.fromEntries(
        (error?.issues ?? []).flatMap((issue) => {
          const field = String(issue.path[0]);
          // Errors of values without a field, such as a link's token, come from the server.
          return field in initial ? [[field, describeIssue(issue, values[field])]] : [];
        }),
      );
    },
    onValuesChange: keep,
  });
  const discard = () => {
    form.setInitialValues(initial);
    form.setValues(initial);
    form.clearErrors();
    setRestored(false);
    keep(undefined);
  };
  const showAtField = (error: unknown) => {
    const [, field = "", text = ""] = /^(\w+):? (.+)$/s.exec(getErrorMessage(error)) ?? [];
    if (getStatus(error) !== 400 || !(field in initial)) return false;
    form.setFieldError(field, toSentence(text));
    return true;
  };
  const [failed, setFailed] = useState<unknown>(null);
  const { run, isPending, output } = useAction((values: Values) => send(toInput(values)), {
    ...options,
    onFailure: (error) => {
      const isShown = showAtField(error);
      setFailed(isShown || !failsInline ? null : error);
      return isShown || failsInline;
    },
    onSuccess: (result, values) => {
      setFailed(null);
      discard();
      return onSuccess?.(result, values);
    },
  });
  const props = { onSubmit: form.onSubmit(run), onFocus: () => void loadContract(), noValidate: true };
  return { ...form, isRestored, failed, discard, isPending, output, send: run, props };
}
