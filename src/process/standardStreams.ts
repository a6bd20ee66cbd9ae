/** At the end of the process, a text for the operator gets this long to be written. */
const SAY_WITHIN_MS = 1_000;

/**
 * Makes sure that neither stdout nor stderr can stop the process, whatever is behind them. A write fails if it would
 * have to wait for a reader. A write that fails (full disk, reader gone) does no harm.
 */
export function freeStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {});
    // Node does this for pipes and sockets when it makes the stream, but not for terminals, which a key press may stop.
    const { _handle: handle } = stream as { _handle?: { setBlocking?(isBlocking: boolean): void } };
    handle?.setBlocking?.(false);
  }
}

/** Writes a line to stderr and waits until it is written or lost, or nobody reads it for SAY_WITHIN_MS. */
export async function sayOnStderr(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const giveUp = setTimeout(resolve, SAY_WITHIN_MS);
  process.stderr.write(`${line}\n`, () => resolve());
  await promise;
  clearTimeout(giveUp);
}
