import { LIMITS } from "@minutes/contract";
import { z } from "zod";
import { findDue, withDue } from "../due.js";
import { type CalendarEvent, cleanName, type Task } from "../transcript.js";
import { get, getList, getText } from "./fields.js";

/** A person as exports name them. */
export interface Person {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Returns an address if it is valid. */
export function toEmail(text: string | undefined): string | undefined {
  const email = text?.trim().toLowerCase();
  return email && email.length <= LIMITS.emailMax && z.email().safeParse(email).success ? email : undefined;
}

/** Reads a list of people: objects with names and addresses, or only addresses or names. */
function readPeople(list: readonly unknown[]): Person[] {
  return list.flatMap((item) => {
    const text = typeof item === "string" ? item : undefined;
    const email = toEmail(
      text ?? getText(item, "email", "emailAddress", "email_address", "address", "user.email"),
    );
    const first = getText(item, "first_name", "firstName");
    const last = getText(item, "last_name", "lastName");
    const full = first === undefined ? undefined : [first, last].filter(Boolean).join(" ");
    const named =
      text === undefined
        ? (getText(item, "name", "displayName", "display_name", "full_name", "fullName", "user.name") ?? full)
        : email === undefined
          ? text
          : undefined;
    const name = named === undefined ? undefined : cleanName(named) || undefined;
    return name === undefined && email === undefined ? [] : [{ name, email }];
  });
}

/** Returns the address of the only person with a name. */
export function findEmail(people: readonly Person[], name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const wanted = cleanName(name).toLowerCase();
  const emails = new Set(
    people.flatMap((one) => (one.name?.toLowerCase() === wanted && one.email ? [one.email] : [])),
  );
  return emails.size === 1 ? [...emails][0] : undefined;
}

/** Creates the calendar event of invited people. A meeting's event needs their addresses. */
export function toEvent(
  people: readonly Person[],
  {
    organizer,
    ...more
  }: { organizer?: string | undefined } & Pick<
    CalendarEvent,
    "title" | "externalId" | "scheduledTime" | "endTime"
  > = {},
): CalendarEvent | undefined {
  const invited = new Map<string, { name: string; email: string; organizer: boolean }>();
  for (const { name, email } of people) {
    if (email === undefined) continue;
    const known = invited.get(email);
    // The first entry with a name, not only an address.
    if (known && (known.name !== email || name === undefined)) continue;
    invited.set(email, {
      name: (name ?? email).slice(0, LIMITS.nameMax),
      email,
      organizer: email === organizer?.toLowerCase(),
    });
  }
  const facts = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  if (invited.size === 0 && Object.keys(facts).length === 0) return undefined;
  return { ...facts, attendees: [...invited.values()].slice(0, LIMITS.attendeesMax) };
}

/** Reads tasks: objects or texts. */
export function readTasks(list: readonly unknown[]): Task[] {
  return list.flatMap((item) => {
    const text =
      typeof item === "string"
        ? item.trim()
        : getText(item, "text", "content", "description", "title", "task");
    if (text === undefined || text === "") return [];
    const assignee = get(item, "assignee", "owner", "assigned_to");
    const name =
      typeof assignee === "string" ? assignee.trim() || undefined : getText(assignee, "name", "display_name");
    const email = toEmail(getText(assignee, "email"));
    const due = findDue(`due ${getText(item, "due", "due_date", "dueDate") ?? ""}`) ?? findDue(text);
    return [
      {
        text,
        completed: get(item, "completed", "done", "is_completed") === true,
        ...(name || email
          ? { assignee: { name: cleanName(name ?? email ?? ""), ...(email ? { email } : {}) } }
          : {}),
        ...(due ? { due } : {}),
      },
    ];
  });
}

/**
 * Reads tasks written as text: a line each, below the name of the person who should do them
 * (`**Will Turner**`, then `Order the pump (00:03)`).
 */
export function readTaskText(text: string | undefined): Task[] {
  let assignee: string | undefined;
  return (text ?? "").split("\n").flatMap((line): Task[] => {
    const bare = line.trim();
    const heading = /^(?:#{1,6} +([^#*]{1,200})|\*\*([^*]{1,200})\*\*:?)$/.exec(bare);
    if (heading) {
      const name = cleanName((heading[1] ?? heading[2] ?? "").replace(/:$/, ""));
      assignee = /^un-?assigned$/i.test(name) ? undefined : name;
      return [];
    }
    const task = bare
      .replace(/^(?:[-*•]|\d{1,3}[.)]) +(?:\[[ xX]\] +)?/, "")
      .replace(/ ?\((?:\d{1,2}:)?\d{1,3}:\d{2}\)$/, "")
      .trim();
    return task === ""
      ? []
      : [
          withDue({
            text: task,
            completed: /^[-*] \[[xX]\]/.test(bare),
            ...(assignee ? { assignee: { name: assignee } } : {}),
          }),
        ];
  });
}

/** Reads a list of people at the first of these paths. */
export const getPeople = (value: unknown, ...paths: readonly string[]): Person[] =>
  readPeople(getList(value, ...paths));
