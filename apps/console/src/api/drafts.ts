import { useState } from "react";
import { useAccount } from "./account";

/** What is typed and not sent is kept under this name, in this tab alone. */
const STORED = "drafts";

interface Drafts {
  /** Who typed it. Nobody else gets it back. */
  readonly userId: string;
  /** By form, the fields that were changed. */
  readonly forms: Readonly<Record<string, object>>;
}

function readForms(userId: string): Drafts["forms"] {
  try {
    const drafts = JSON.parse(sessionStorage.getItem(STORED) ?? "") as Drafts;
    return drafts.userId === userId ? drafts.forms : {};
  } catch {
    return {};
  }
}

function writeForm(userId: string, form: string, fields: object | undefined): void {
  const { [form]: _, ...others } = readForms(userId);
  const drafts: Drafts = { userId, forms: fields === undefined ? others : { ...others, [form]: fields } };
  sessionStorage.setItem(STORED, JSON.stringify(drafts));
}

/** Returns true when a form holds something that was typed and not sent. */
export const hasDraft = (userId: string, form: string): boolean => form in readForms(userId);

/** Forgets everything that was typed and not sent. */
export const discardDrafts = () => sessionStorage.removeItem(STORED);

/** The fields of a form, kept while they are not sent. */
interface Draft<Fields> {
  readonly fields: Fields;
  /** True when the fields were typed before, and are here again. */
  readonly isRestored: boolean;
  change(changed: Partial<Fields>): void;
  /** Starts again with the initial fields. Called when the form is sent. */
  discard(): void;
}

/**
 * Holds the fields of a form, so that neither the back button nor a reload loses them. Not for passwords and other secrets.
 * @param form name of the form, with the id of what it changes
 * @see docs/decisions/0172-half-typed-forms-are-kept.md
 */
export function useDraft<Fields extends object>(form: string, initial: Fields): Draft<Fields> {
  const { userId } = useAccount();
  const [kept] = useState(() => readForms(userId)[form] as Partial<Fields> | undefined);
  const [changed, setChanged] = useState<Partial<Fields>>(kept ?? {});
  const [isRestored, setRestored] = useState(kept !== undefined);
  const change = (fields: Partial<Fields>) => {
    const next = { ...changed, ...fields };
    setChanged(next);
    writeForm(userId, form, next);
  };
  const discard = () => {
    setChanged({});
    setRestored(false);
    writeForm(userId, form, undefined);
  };
  return { fields: { ...initial, ...changed }, isRestored, change, discard };
}
