import { type UseFormReturnType, useForm } from "@mantine/form";
import { useState } from "react";
import type { z } from "zod";
import { keepDraft, readDraft } from "../api/drafts";
import { getSentence, getStatus } from "../api/transport";

interface ContractFormOptions<Values> {
  /** The schema of the procedure that takes the form. */
  readonly schema: z.ZodType;
  readonly initial: Values;
  /** Makes the procedure's input of the form's values. Fields of one name belong together. */
  readonly toInput: (values: Values) => unknown;
  /** Keeps what is typed under this name until it is sent. Absent for passwords and other secrets. */
  readonly draft?: { readonly userId: string; readonly name: string };
}

export interface ContractForm<Values extends object> extends UseFormReturnType<Values> {
  /** True when the values were typed before, and are here again. */
  readonly isRestored: boolean;
  /** Starts again with the initial values. Called when the form is sent. */
  discard(): void;
  /** Shows a refusal next to the field that it is about; returns false when it is about none. */
  takeFailure(error: unknown): boolean;
}

const toSentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;

/** Writes what is wrong with a field, in the words of a reader who does not know the API. */
function describeIssue({ code, message }: z.core.$ZodIssue, value: unknown): string {
  if (value === "" || value === undefined || value === null) return "Fill in this field.";
  if (Array.isArray(value) && value.length === 0) return "Choose at least one.";
  return code === "custom" || message.startsWith("must ") ? toSentence(message) : "Check this value.";
}

/**
 * Creates a form whose fields are checked by the contract's schema before they are sent. What is typed survives the back button and
 * a reload.
 * @see docs/decisions/0110-console.md
 */
export function useContractForm<Values extends Record<string, unknown>>({
  schema,
  initial,
  toInput,
  draft,
}: ContractFormOptions<Values>): ContractForm<Values> {
  const [kept] = useState(
    () => draft && (readDraft(draft.userId, draft.name) as Partial<Values> | undefined),
  );
  const [isRestored, setRestored] = useState(kept !== undefined);
  const form = useForm<Values>({
    initialValues: { ...initial, ...kept },
    validate: (values) => {
      const { error } = schema.safeParse(toInput(values));
      return Object.fromEntries(
        (error?.issues ?? []).map((issue) => {
          const field = String(issue.path[0]);
          return [field, describeIssue(issue, values[field])];
        }),
      );
    },
    onValuesChange: (values) => {
      if (draft) keepDraft(draft.userId, draft.name, values);
    },
  });
  const discard = () => {
    form.setInitialValues(initial);
    form.setValues(initial);
    form.clearErrors();
    setRestored(false);
    if (draft) keepDraft(draft.userId, draft.name, undefined);
  };
  const takeFailure = (error: unknown) => {
    const [, field = "", text = ""] = /^(\w+):? (.+)$/s.exec(getSentence(error)) ?? [];
    if (getStatus(error) !== 400 || !(field in initial)) return false;
    form.setFieldError(field, toSentence(text));
    return true;
  };
  return { ...form, isRestored, discard, takeFailure };
}
