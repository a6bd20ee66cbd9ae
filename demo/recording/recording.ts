import { pictureOf } from './picture.ts';
import { steady } from './steady.ts';

export const RECORDING_URL = new URL('../../docs/demo.svg', import.meta.url);

/** Returns the picture of a demo's output, which is the same for each demo that tells the same. */
export const recordingOf = (output: string): string =>
  pictureOf('npx stellar-facilitator demo', steady(output));
