/** What a stream needs of its call. */
export interface StreamHelp {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Reports a fault that the stream handles itself, for the log. */
  readonly report: (error: unknown) => void;
}
