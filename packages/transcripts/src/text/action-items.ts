import { LIMITS } from "@minutes/contract";
import { withDue } from "../due.js";
import { cleanName, type Task } from "../transcript.js";

const HEADING = /^(?:#{1,6} +\S|\*\*[^*]+\*\*:?$)/;
const ITEMS = /^(?:#{1,6} +)?(?:\*\*)?(?:action items?|tasks|to-?dos?|next steps)(?:\*\*:?|:\*\*|:)?$/i;
/** Titles of the other sections that follow a transcript. */
const SECTION =
  /^(?:#{1,6} +)?(?:\*\*)?(?:(?:meeting )?(?:summary|notes)|overview|decisions|highlights|follow-?ups|key (?:points|takeaways))(?:\*\*:?|:\*\*|:)?$/i;
const CHECKBOX = /^[-*+] \[(?<mark>[ xX])\] +(?<text>\S.*)$/s;
/** `Luca Ferri: call the supplier`, `**Luca Ferri**: …` */
const NAMED = /^\**(?<name>[^:*]{1,200})(?:\*\*:|:\**) +(?<text>\S.*)$/s;

/** Returns true for a task that can be ticked off, which nobody says. */
export const isCheckbox = (line: string): boolean => CHECKBOX.test(line);

/** Returns true for a line alone that names a section of notes, such as `Next steps`. */
export const namesSection = (line: string): boolean =>
  line.length <= 100 && (ITEMS.test(line) || SECTION.test(line));

/**
 * Moves the checkboxes below a heading such as `Action items` from notes to tasks. A name before a colon is the assignee if
 * the file names that person elsewhere.
 */
export function takeTasks(
  notes: string,
  people: ReadonlySet<string>,
): { readonly notes: string; readonly tasks: Task[] } {
  const tasks: Task[] = [];
  const kept: string[] = [];
  /** The section with tasks: where its heading is in `kept`, and whether all below it are tasks. */
  let section: { readonly at: number; readonly first: number; bare: boolean } | null = null;
  const endSection = () => {
    if (section?.bare && tasks.length > section.first) kept.length = section.at;
  };
  for (const line of notes.split("\n")) {
    const heads = ITEMS.test(line);
    const task = section && tasks.length < LIMITS.tasksMax ? readTask(line, people) : null;
    if (heads || HEADING.test(line) || namesSection(line)) {
      endSection();
      section = heads ? { at: kept.length, first: tasks.length, bare: true } : null;
    } else if (section && !task && line !== "") section.bare = false;
    if (task) tasks.push(task);
    else kept.push(line);
  }
  endSection();
  return { notes: kept.join("\n").trim(), tasks };
}

function readTask(line: string, people: ReadonlySet<string>): Task | null {
  const { mark, text } = CHECKBOX.exec(line)?.groups ?? {};
  if (text === undefined || text.length > LIMITS.taskTextMax) return null;
  const completed = mark !== " ";
  const named = NAMED.exec(text)?.groups;
  const name = cleanName(named?.name ?? "");
  return withDue(
    named?.text !== undefined && people.has(name)
      ? { text: named.text, completed, assignee: { name } }
      : { text, completed },
  );
}
