import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Keeps V8's space for new objects small. While modules are loaded most objects survive, from which V8 would conclude
 * that it needs the most, and keep 20 MiB that the service does not use when idle.
 */
export const holdYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** Lets the space grow with the load, as it does by default. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');

/**
 * Gives back the memory of this thread that only its start needed. V8 would keep it until the thread has had nothing to
 * do for half a minute. Takes some 50 ms for the service, and less for a thread of the catalog.
 */
export function compactHeap(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
