/** What the meeting list is filtered by; kept in the address. */
export interface MeetingFilters {
  /** Words to search for; the list is shown when absent. */
  readonly q?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly from?: string | undefined;
  /** `YYYY-MM-DD` */
  readonly to?: string | undefined;
  /** A tag's name. */
  readonly tag?: string | undefined;
}
