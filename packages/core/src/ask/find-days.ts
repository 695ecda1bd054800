import { parseBound } from "@minutes/contract";

/** Days in UTC, `YYYY-MM-DD`, both included; null without a bound. */
export interface Days {
  readonly from: string | null;
  readonly to: string | null;
}

const DAY = 86_400_000;
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns a month; `Date.UTC` takes years before 100 for those of the last century. */
const getMonth = (year: number, month: number): Days | null =>
  year < 100
    ? null
    : { from: toDay(Date.UTC(year, month, 1)), to: toDay(Date.UTC(year, month + 1, 1) - DAY) };

/** Finds the days that a question names in English, such as “last week” and “in March 2026”. Weeks start on Monday. */
export function findDays(
  question: string,
  now: Date,
): Days & { /** The question without them. */ readonly rest: string } {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * DAY;
  const day = (time: number): Days => ({ from: toDay(time), to: toDay(time) });
  const week = (start: number): Days => ({ from: toDay(start), to: toDay(start + 6 * DAY) });
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const forms: readonly (readonly [form: RegExp, read: (found: RegExpExecArray) => Days | null])[] = [
    [
      /\b(?:(since)|on) (\d{4}-\d\d-\d\d)\b/i,
      ([, since, date = ""]) => ({ from: date, to: since ? null : date }),
    ],
    [/\bsince yesterday\b/i, () => ({ from: toDay(today - DAY), to: null })],
    [/\byesterday\b/i, () => day(today - DAY)],
    [/\btoday\b/i, () => day(today)],
    [/\bthis week\b/i, () => week(monday)],
    [/\blast week\b/i, () => week(monday - 7 * DAY)],
    [/\bthis month\b/i, () => getMonth(year, month)],
    [/\blast month\b/i, () => getMonth(year, month - 1)],
    [
      new RegExp(`\\bin (${MONTHS.join("|")})(?: (\\d{4}))?\\b`, "i"),
      ([, name = "", named]) => {
        const at = MONTHS.indexOf(name.toLowerCase());
        return getMonth(named === undefined ? year - (at > month ? 1 : 0) : Number(named), at);
      },
    ],
  ];
  for (const [form, read] of forms) {
    const found = form.exec(question);
    const days = found && read(found);
    if (days && exist(days)) return { ...days, rest: question.replace(found[0], "") };
  }
  return { from: null, to: null, rest: question };
}

/** Returns false for days that the calendar or the database doesn't have, such as February 31 and the year 0. */
const exist = ({ from, to }: Days): boolean =>
  [from, to].every((day) => day === null || parseBound(day, "start") !== null);
