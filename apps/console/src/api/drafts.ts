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

/** Returns what was typed into a form and not sent. */
export const readDraft = (userId: string, form: string): object | undefined => readForms(userId)[form];

/** Keeps what is typed into a form; forgets it when `fields` is undefined. */
export function keepDraft(userId: string, form: string, fields: object | undefined): void {
  const { [form]: _, ...others } = readForms(userId);
  const drafts: Drafts = { userId, forms: fields === undefined ? others : { ...others, [form]: fields } };
  sessionStorage.setItem(STORED, JSON.stringify(drafts));
}

/** Forgets everything that was typed and not sent. */
export const discardDrafts = () => sessionStorage.removeItem(STORED);
