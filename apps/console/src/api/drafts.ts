/** Key in session storage for unsaved input, so each tab has its own. */
const STORED = "drafts";

interface Drafts {
  /** ID of the user who typed it. It is restored for nobody else. */
  readonly userId: string;
  /** Changed fields by form. */
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

/** Returns a form's unsaved input. */
export const readDraft = (userId: string, form: string): object | undefined => readForms(userId)[form];

/** Lists the names, starting with a prefix, of the forms that have unsaved input. */
export const listDrafts = (userId: string, prefix: string): string[] =>
  Object.keys(readForms(userId)).filter((form) => form.startsWith(prefix));

/** Returns true if somebody's unsaved input is kept in this tab. */
export function hasDrafts(): boolean {
  try {
    return Object.keys((JSON.parse(sessionStorage.getItem(STORED) ?? "") as Drafts).forms).length > 0;
  } catch {
    return false;
  }
}

/** Stores a form's unsaved input, or discards it when `fields` is undefined. */
export function keepDraft(userId: string, form: string, fields: object | undefined): void {
  const { [form]: _, ...others } = readForms(userId);
  const drafts: Drafts = { userId, forms: fields === undefined ? others : { ...others, [form]: fields } };
  sessionStorage.setItem(STORED, JSON.stringify(drafts));
}

/** Discards all unsaved input. */
export const discardDrafts = () => sessionStorage.removeItem(STORED);
