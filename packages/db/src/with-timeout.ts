/**
 * Settles as `work` does, or with the result of `onTimeout` after `milliseconds`. The work is not stopped. For a plain
 * delay, use `setTimeout` of `node:timers/promises`.
 */
export async function withTimeout<Result, Late>(
  work: PromiseLike<Result>,
  milliseconds: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    return await Promise.race([work, late.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
