import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early and keep its space for new objects small. From a start, in which modules are loaded
 * and most objects survive, it would conclude that it needs much more than the service uses when idle.
 */
export function saveMemory(): void {
  setFlagsFromString('--memory-saver-mode');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the memory grow with the load, as it does by default. */
export function stopSavingMemory(): void {
  setFlagsFromString('--no-memory-saver-mode');
  setFlagsFromString('--semi-space-growth-factor=2');
}
