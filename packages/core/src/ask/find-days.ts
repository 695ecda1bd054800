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
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const QUARTERS = ["first", "second", "third", "fourth"];
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Words for days, which are written like names. */
export const DAY_WORDS: ReadonlySet<string> = new Set([...MONTHS, ...WEEKDAYS]);

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns `length` months; `Date.UTC` takes years before 100 for those of the last century. */
const getMonths = (year: number, month: number, length = 1): Days | null =>
  year < 100
    ? null
    : { from: toDay(Date.UTC(year, month, 1)), to: toDay(Date.UTC(year, month + length, 1) - DAY) };

/** Returns the last such months that have begun, or those of a year. */
function getLatest(today: number, year: string | undefined, month: number, length: number): Days | null {
  const now = new Date(today);
  const begun = now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0);
  return getMonths(year === undefined ? begun : Number(year), month, length);
}

/** Returns the last day of this date that is not after today, or that of a year. */
function getDate(today: number, month: number, date: number, year: string | undefined): Days | null {
  const current = new Date(today).getUTCFullYear();
  const isLater = Date.UTC(current, month, date) > today;
  const named = year === undefined ? current - (isLater ? 1 : 0) : Number(year);
  const day = `${String(named).padStart(4, "0")}-${String(month + 1).padStart(2, "0")}-${String(date).padStart(2, "0")}`;
  return { from: day, to: day };
}

const toNumber = (text: string): number => NUMBERS.indexOf(text.toLowerCase()) + 1 || Number(text);

/** Named groups of a form that matched. */
type Groups = Readonly<Record<string, string | undefined>>;

const MONTH = `(?<month>${MONTHS.join("|")})`;
const YEAR = "(?<year>\\d{4})";
const DATE = "(?<date>\\d{1,2})(?:st|nd|rd|th)?";
const COUNT = `(?<count>\\d{1,3}|${NUMBERS.join("|")})`;

/** Ways to name days. With "since" before them, what they name has no end. */
const FORMS: readonly (readonly [form: string, read: (groups: Groups, today: number) => Days | null])[] = [
  ["(?:on )?(?<iso>\\d{4}-\\d\\d-\\d\\d)", ({ iso = "" }) => ({ from: iso, to: iso })],
  ["(?<name>yesterday|today)", ({ name }, today) => readDay(today - (isSame(name, "yesterday") ? DAY : 0))],
  ["(?<which>this|last) (?<unit>week|month|quarter|year)", readCurrent],
  [
    `(?:in|over|within|during) the (?:last|past) ${COUNT} (?<unit>day|week|month|year)s?`,
    ({ count = "", unit = "" }, today) => ({
      from: toDay(goBack(today, toNumber(count), unit)),
      to: toDay(today),
    }),
  ],
  [`${COUNT} (?<unit>day|week|month)s? ago`, readAgo],
  [
    `(?:on |last |on last )?(?<weekday>${WEEKDAYS.join("|")})`,
    ({ weekday = "" }, today) => {
      const at = WEEKDAYS.indexOf(weekday.toLowerCase());
      return readDay(today - (((new Date(today).getUTCDay() + 5 - at) % 7) + 1) * DAY);
    },
  ],
  [`(?:on )?${MONTH} ${DATE}(?:,? ${YEAR})?`, readDate],
  [`(?:on )?(?:the )?${DATE} (?:of )?${MONTH}(?:,? ${YEAR})?`, readDate],
  [
    `(?:in |during )?${MONTH}(?: ${YEAR})?`,
    ({ month = "", year }, today) => getLatest(today, year, MONTHS.indexOf(month.toLowerCase()), 1),
  ],
  [
    `(?:in |during )?(?:the )?(?:q(?<number>[1-4])|(?<ordinal>${QUARTERS.join("|")}) quarter)(?: (?:of )?${YEAR})?`,
    ({ number, ordinal = "", year }, today) => {
      const at = number === undefined ? QUARTERS.indexOf(ordinal.toLowerCase()) : Number(number) - 1;
      return getLatest(today, year, at * 3, 3);
    },
  ],
  ["(?:in |during )?(?<year>(?:19|20)\\d\\d)", ({ year }) => getMonths(Number(year), 0, 12)],
];

/** Words that introduce a form that names days only after them: "May" alone is a name or a verb. */
const NEEDS_WORD = /^(?:in|during|on|last|the|since) /i;
const ALONE = /^(?:yesterday|today|this|last|(?:in|over|within|during) the|\d{4}-|[a-z\d]+ \w+ ago|q[1-4])/i;

const isSame = (text: string | undefined, word: string): boolean => text?.toLowerCase() === word;
const readDay = (time: number): Days => ({ from: toDay(time), to: toDay(time) });
const toMonday = (day: number): number => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY;
const readWeek = (monday: number): Days => ({ from: toDay(monday), to: toDay(monday + 6 * DAY) });

function goBack(today: number, count: number, unit: string): number {
  const now = new Date(today);
  const kind = unit.toLowerCase();
  if (kind === "day") return today - count * DAY;
  if (kind === "week") return today - count * 7 * DAY;
  return Date.UTC(
    now.getUTCFullYear(),
    now.getUTCMonth() - count * (kind === "year" ? 12 : 1),
    now.getUTCDate(),
  );
}

function readCurrent({ which, unit = "" }: Groups, today: number): Days | null {
  const back = isSame(which, "last") ? 1 : 0;
  const now = new Date(today);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (isSame(unit, "week")) return readWeek(toMonday(today) - back * 7 * DAY);
  if (isSame(unit, "month")) return getMonths(year, month - back);
  if (isSame(unit, "quarter")) return getMonths(year, month - (month % 3) - 3 * back, 3);
  return getMonths(year - back, 0, 12);
}

function readAgo({ count = "", unit = "" }: Groups, today: number): Days | null {
  const back = toNumber(count);
  if (isSame(unit, "day")) return readDay(today - back * DAY);
  if (isSame(unit, "week")) return readWeek(toMonday(today - back * 7 * DAY));
  const now = new Date(today);
  return getMonths(now.getUTCFullYear(), now.getUTCMonth() - back);
}

function readDate({ month = "", date, year }: Groups, today: number): Days | null {
  return getDate(today, MONTHS.indexOf(month.toLowerCase()), Number(date), year);
}

const PATTERNS = FORMS.map(
  ([form, read]) => [new RegExp(`\\b(?<since>since )?${form}\\b(?!-\\d)`, "gi"), read] as const,
);

/** Finds the days that a question names in English, such as “last week” and “in March 2026”. Weeks start on Monday. */
export function findDays(
  question: string,
  now: Date,
): Days & { /** The question without them. */ readonly rest: string } {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  for (const [pattern, read] of PATTERNS) {
    for (const found of question.matchAll(pattern)) {
      if (!NEEDS_WORD.test(found[0]) && !ALONE.test(found[0])) continue;
      const groups = found.groups ?? {};
      const days = read(groups, today);
      if (!days || !exist(days)) continue;
      const rest = question.slice(0, found.index) + question.slice(found.index + found[0].length);
      return { ...days, ...(groups.since === undefined ? {} : { to: null }), rest };
    }
  }
  return { from: null, to: null, rest: question };
}

/** Returns false for days that the calendar or the database doesn't have, such as February 31 and the year 0. */
const exist = ({ from, to }: Days): boolean =>
  [from, to].every((day) => day === null || parseBound(day, "start") !== null);
