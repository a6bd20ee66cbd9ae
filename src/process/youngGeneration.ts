import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's space for new objects small. While modules are loaded most objects survive, from which V8 would conclude
 * that it needs the most, and keep 20 MiB that the service does not use when idle.
 */
export const holdYoungGeneration = (): void => setFlagsFromString('--semi-space-growth-factor=1');

/** Lets the space grow with the load, as it does by default. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');
