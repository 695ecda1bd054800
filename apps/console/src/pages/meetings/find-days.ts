type Meeting = Readonly<Record<"startTime", string>>;

/** Returns the local day of a meeting. */
const toDay = (meeting: Meeting | undefined) => meeting && new Date(meeting.startTime).toDateString();

/**
 * Returns the indexes of rows that start a day: those among the loaded meetings, and the known ones of other pages.
 * @param firstRow index of the first loaded meeting
 */
export function findDays(
  meetings: readonly Meeting[],
  firstRow: number,
  known: readonly number[],
): ReadonlySet<number> {
  const days = new Set(known);
  meetings.forEach((meeting, at) => {
    const before = meetings[at - 1];
    if (at === 0 ? firstRow === 0 : toDay(before) !== toDay(meeting)) days.add(firstRow + at);
    // Whether the first loaded row starts a day depends on the row before it.
    else if (at > 0) days.delete(firstRow + at);
  });
  return days;
}
