/** The database can't be spread over workers, or not be brought together; the message says what to do. */
export class LayoutError extends Error {
  override name = "LayoutError";
}
