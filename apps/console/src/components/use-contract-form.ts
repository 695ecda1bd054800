import { type UseFormReturnType, useForm } from "@mantine/form";
import { useState } from "react";
import type { z } from "zod";
import { keepDraft, readDraft } from "../api/drafts";
import { getSentence, getStatus } from "../api/transport";

interface ContractFormOptions<Values> {
  /** Input schema of the procedure that the form calls. */
  readonly schema: z.ZodType;
  readonly initial: Values;
  /** Converts the form's values to the procedure's input. Fields are matched by name. */
  readonly toInput: (values: Values) => unknown;
  /** Stores unsaved input under this name. Absent for passwords and other secrets. */
  readonly draft?: { readonly userId: string; readonly name: string };
}

export interface ContractForm<Values extends object> extends UseFormReturnType<Values> {
  /** True if the values were restored from unsaved input. */
  readonly isRestored: boolean;
  /** Resets the form to its initial values. Call it after submitting. */
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
 * Creates a form that validates its fields with the contract's schema before submitting. Unsaved input survives the back
 * button and a reload.
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
